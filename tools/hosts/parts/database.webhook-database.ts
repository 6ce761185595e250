import { TypeOrmModule } from '@nestjs/typeorm';
import { webhookDatabase } from 'webhook-notification-service';
import { CreateCustomerOrder1795305600000, CustomerOrder } from './customer-order.js';

const own = { entities: [CustomerOrder], migrations: [CreateCustomerOrder1795305600000] };

export const database = TypeOrmModule.forRootAsync(webhookDatabase(process.env.DATABASE_URL ?? '', own));
