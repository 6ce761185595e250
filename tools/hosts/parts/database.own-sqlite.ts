import { TypeOrmModule } from '@nestjs/typeorm';
import { webhookEntities, webhookMigrations } from 'webhook-notification-service';
import { CreateCustomerOrder1795305600000, CustomerOrder } from './customer-order.js';

export const database = TypeOrmModule.forRoot({
  type: 'better-sqlite3',
  database: (process.env.DATABASE_URL ?? '').slice('sqlite:'.length),
  entities: [...webhookEntities('sqlite'), CustomerOrder],
  migrations: [...webhookMigrations, CreateCustomerOrder1795305600000],
  migrationsRun: true,
  enableWAL: true,
});
