import type { EntitySchema } from 'typeorm';
import { apiKeySchema } from '../auth/api-key.entity.js';
import { rateLimitSchema } from '../auth/rate-limit.entity.js';
import { instanceSchema } from '../delivery/instance.entity.js';
import { eventSchema } from '../event/event.entity.js';
import { idempotencySchema } from '../idempotency/idempotency.entity.js';
import { attemptSchema } from '../trigger/attempt.entity.js';
import { notificationSchema } from '../trigger/notification.entity.js';
import { triggerSchema } from '../trigger/trigger.entity.js';
import { webhookSchema } from '../webhook/webhook.entity.js';
import { columnsOf, type Dialect } from './columns.js';

/** The entities of the service, with the column types of a database; for a data source's `entities`. */
export function webhookEntities(dialect: Dialect): EntitySchema[] {
  const column = columnsOf(dialect);
  return [
    webhookSchema(column),
    eventSchema(column),
    notificationSchema(column),
    triggerSchema(column),
    attemptSchema(column),
    instanceSchema(column),
    apiKeySchema(column),
    idempotencySchema(column),
    rateLimitSchema(column),
  ] as EntitySchema[];
}
