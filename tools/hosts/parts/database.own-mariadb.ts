import { TypeOrmModule } from '@nestjs/typeorm';
import { webhookEntities, webhookMigrations } from 'webhook-notification-service';
import { CreateCustomerOrder1795305600000, CustomerOrder } from './customer-order.js';

export const database = TypeOrmModule.forRoot({
  type: 'mariadb',
  url: process.env.DATABASE_URL,
  charset: process.env.DATABASE_CHARSET ?? 'utf8mb4',
  entities: [...webhookEntities('mysql', { tablePrefix: 'acme_' }), CustomerOrder],
  migrations: [...webhookMigrations, CreateCustomerOrder1795305600000],
  migrationsRun: true,
});
