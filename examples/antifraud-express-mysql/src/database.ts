import type { DataSourceOptions } from 'typeorm';
import { webhookEntities } from 'webhook-notification-service';
import { DATABASE_URL } from './config.js';
import { AnalysisEntity, RecordEntity } from './records/record.entity.js';
import { AuditEntity } from './webhook-audit.js';

/** One data source for records and webhooks, so a notification commits with the change that it reports. */
export const databaseOptions = {
  // TypeORM reads MariaDB's column defaults correctly only under this name.
  type: DATABASE_URL.startsWith('mariadb:') ? 'mariadb' : 'mysql',
  url: DATABASE_URL,
  entities: [RecordEntity, AnalysisEntity, AuditEntity, ...webhookEntities('mysql')],
} satisfies DataSourceOptions;
