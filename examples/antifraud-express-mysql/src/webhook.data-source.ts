import { DataSource } from 'typeorm';
import { webhookMigrations } from 'webhook-notification-service';
import { databaseOptions } from './database.js';

/** For TypeORM's command line: the migrations of the webhooks, which are recorded in a table of their own. */
export default new DataSource({
  ...databaseOptions,
  migrations: webhookMigrations,
  migrationsTableName: 'webhook_migration',
});
