import { TypeOrmModule } from '@nestjs/typeorm';
import { webhookDatabase } from 'webhook-notification-service';
import { CreateCustomerOrder1795305600000, CustomerOrder } from './customer-order.js';
import { surroundings } from './surroundings.js';

const own = { entities: [CustomerOrder], migrations: [CreateCustomerOrder1795305600000] };

export const database = TypeOrmModule.forRootAsync(
  surroundings.database(webhookDatabase(process.env.DATABASE_URL ?? '', own)),
);
