import type { DataSource, EntityMetadata, EntitySchema } from 'typeorm';
import { apiKeySchema } from '../auth/api-key.entity.js';
import { rateLimitSchema } from '../auth/limits/rate-limit.entity.js';
import { revokedKeySchema } from '../auth/revoked-key.entity.js';
import { sessionSchema } from '../auth/session/session.entity.js';
import { columnsOf, type Dialect, dialectOf } from '../database/columns.js';
import { lockSchema } from '../database/lock.entity.js';
import { checkTablePrefix, prefixedSchema } from '../database/table-prefix.js';
import { instanceSchema } from '../delivery/recover/instance.entity.js';
import { taskSchema } from '../delivery/recover/task.entity.js';
import { noticeSchema } from '../delivery/report/notice.entity.js';
import { eventSchema } from '../event/event.entity.js';
import { idempotencySchema } from '../idempotency/idempotency.entity.js';
import { userMoveSchema } from '../move/user-move.entity.js';
import { overdueSchema } from '../retention/overdue.entity.js';
import { statisticSchema } from '../statistics/statistic.entity.js';
import { statisticDeltaSchema } from '../statistics/statistic-delta.entity.js';
import { attemptSchema } from '../trigger/attempt/attempt.entity.js';
import { requestHeadSchema } from '../trigger/attempt/request-head.entity.js';
import { cancellationSchema } from '../trigger/cancel/cancellation.entity.js';
import { changeSchema } from '../trigger/changes/change.entity.js';
import { watchSchema } from '../trigger/changes/watch.entity.js';
import { decisionSetSchema } from '../trigger/decision-set.entity.js';
import { lineEntrySchema } from '../trigger/line/line-entry.entity.js';
import { lineMarkSchema } from '../trigger/line/line-mark.entity.js';
import { lineTurnSchema } from '../trigger/line/line-turn.entity.js';
import { notificationSchema } from '../trigger/notification.entity.js';
import { triggerSchema } from '../trigger/trigger.entity.js';
import { urgentTriggerSchema } from '../trigger/urgent-trigger.entity.js';
import { recoverySchema } from '../webhook/recovery/recovery.entity.js';
import { encryptionKeySchema } from '../webhook/secret/encryption-key.entity.js';
import { paceSchema } from '../webhook/settings/pace.entity.js';
import { webhookSchema } from '../webhook/webhook.entity.js';

/** Naming of the tables. */
export interface WebhookEntitiesOptions {
  /** Put before the names of all tables: up to 20 of a-z, 0-9 and _, starting with a letter. @default none */
  tablePrefix?: string;
}

/**
 * The entities of the service, with the column types of a database; for a data source's `entities`. The migrations and
 * the module take the table prefix from them.
 *
 * @param dialect `mysql` includes MariaDB.
 * @throws Error for an invalid prefix.
 */
export function webhookEntities(
  dialect: Dialect,
  { tablePrefix = '' }: WebhookEntitiesOptions = {},
): EntitySchema[] {
  checkTablePrefix(tablePrefix);
  return schemasOf(dialect).map((schema) => prefixedSchema(schema, tablePrefix));
}

function schemasOf(dialect: Dialect): EntitySchema[] {
  const column = columnsOf(dialect);
  return [
    webhookSchema(column),
    eventSchema(column),
    notificationSchema(column),
    triggerSchema(column),
    attemptSchema(column),
    requestHeadSchema(column),
    cancellationSchema(column),
    urgentTriggerSchema(column),
    lineEntrySchema(column),
    lineMarkSchema(column),
    lineTurnSchema(column),
    instanceSchema(column),
    paceSchema(column),
    apiKeySchema(column),
    revokedKeySchema(column),
    sessionSchema(column),
    idempotencySchema(column),
    rateLimitSchema(column),
    encryptionKeySchema(column),
    decisionSetSchema(column),
    statisticSchema(column),
    statisticDeltaSchema(column),
    recoverySchema(column),
    noticeSchema(column),
    taskSchema(column),
    overdueSchema(column),
    changeSchema(column),
    watchSchema(column),
    lockSchema(column),
    userMoveSchema(column),
  ] as EntitySchema[];
}

/** A data source's metadata of these entities. @throws Error if it lacks any of them */
export function webhookMetadata(dataSource: DataSource): EntityMetadata[] {
  const targets = schemasOf('sqlite').map(({ options }) => ({
    ...options,
    of: options.target ?? options.name,
  }));
  const missing = targets.filter(({ of }) => !dataSource.hasMetadata(of)).map(({ name }) => name);
  if (missing.length === 0) return targets.map(({ of }) => dataSource.getMetadata(of));
  const which = missing.length === targets.length ? '' : ` (${missing.join(', ')})`;
  throw new Error(
    `The data source does not have the entities of the webhooks${which}. Make it with webhookDatabase(url), or add ` +
      `...webhookEntities('${dialectOf(dataSource)}') to its option "entities"; autoLoadEntities does not add them.`,
  );
}
