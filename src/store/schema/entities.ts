import type { DataSource, EntityMetadata, EntitySchema } from 'typeorm';
import { BACKENDS, type Dialect, dialectOf } from '../backends.js';
import { checkTablePrefix, prefixedSchema } from '../table-prefix.js';
import { apiKeySchema } from '../tables/access/api-key.entity.js';
import { idempotencySchema } from '../tables/access/idempotency.entity.js';
import { rateLimitSchema } from '../tables/access/rate-limit.entity.js';
import { revokedKeySchema } from '../tables/access/revoked-key.entity.js';
import { sessionSchema } from '../tables/access/session.entity.js';
import { userMoveSchema } from '../tables/access/user-move.entity.js';
import { instanceSchema } from '../tables/instance.entity.js';
import { lockSchema } from '../tables/lock.entity.js';
import { statisticSchema } from '../tables/statistic.entity.js';
import { statisticDeltaSchema } from '../tables/statistic-delta.entity.js';
import { taskSchema } from '../tables/task.entity.js';
import { attemptSchema } from '../tables/trigger/attempt.entity.js';
import { changeSchema } from '../tables/trigger/change.entity.js';
import { decisionSetSchema } from '../tables/trigger/decision-set.entity.js';
import { groupHeadSchema } from '../tables/trigger/group-head.entity.js';
import { groupMemberSchema } from '../tables/trigger/group-member.entity.js';
import { noticeSchema } from '../tables/trigger/notice.entity.js';
import { notificationSchema } from '../tables/trigger/notification.entity.js';
import { orderingMarkSchema } from '../tables/trigger/ordering-mark.entity.js';
import { overdueSchema } from '../tables/trigger/overdue.entity.js';
import { requestHeadSchema } from '../tables/trigger/request-head.entity.js';
import { triggerSchema } from '../tables/trigger/trigger.entity.js';
import { watchSchema } from '../tables/trigger/watch.entity.js';
import { cancellationSchema } from '../tables/webhook/cancellation.entity.js';
import { encryptionKeySchema } from '../tables/webhook/encryption-key.entity.js';
import { eventSchema } from '../tables/webhook/event.entity.js';
import { rateSlotSchema } from '../tables/webhook/rate-slot.entity.js';
import { recoverySchema } from '../tables/webhook/recovery.entity.js';
import { webhookSchema } from '../tables/webhook/webhook.entity.js';

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
  const column = BACKENDS[dialect].columns;
  return [
    webhookSchema(column),
    eventSchema(column),
    notificationSchema(column),
    triggerSchema(column),
    attemptSchema(column),
    requestHeadSchema(column),
    cancellationSchema(column),
    groupMemberSchema(column),
    orderingMarkSchema(column),
    groupHeadSchema(column),
    instanceSchema(column),
    rateSlotSchema(column),
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
