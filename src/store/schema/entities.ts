import type { DataSource, EntityMetadata, EntitySchema } from 'typeorm';
import { BACKENDS, type Dialect, dialectOf } from '../backends.js';
import { schemaOf } from '../table.js';
import { checkTablePrefix, prefixedSchema } from '../table-prefix.js';
import { ApiKeyEntity } from '../tables/access/api-key.entity.js';
import { IdempotencyEntity } from '../tables/access/idempotency.entity.js';
import { RateLimitEntity } from '../tables/access/rate-limit.entity.js';
import { RevokedKeyEntity } from '../tables/access/revoked-key.entity.js';
import { SessionEntity } from '../tables/access/session.entity.js';
import { UserMoveEntity } from '../tables/access/user-move.entity.js';
import { InstanceEntity } from '../tables/instance.entity.js';
import { LockEntity } from '../tables/lock.entity.js';
import { StatisticEntity } from '../tables/statistic.entity.js';
import { StatisticDeltaEntity } from '../tables/statistic-delta.entity.js';
import { TaskEntity } from '../tables/task.entity.js';
import { AttemptEntity } from '../tables/trigger/attempt.entity.js';
import { ChangeEntity } from '../tables/trigger/change.entity.js';
import { DecisionSetEntity } from '../tables/trigger/decision-set.entity.js';
import { GroupHeadEntity } from '../tables/trigger/group-head.entity.js';
import { GroupMemberEntity } from '../tables/trigger/group-member.entity.js';
import { NoticeEntity } from '../tables/trigger/notice.entity.js';
import { NotificationEntity } from '../tables/trigger/notification.entity.js';
import { OrderingMarkEntity } from '../tables/trigger/ordering-mark.entity.js';
import { OverdueEntity } from '../tables/trigger/overdue.entity.js';
import { RequestHeadEntity } from '../tables/trigger/request-head.entity.js';
import { TriggerEntity } from '../tables/trigger/trigger.entity.js';
import { WatchEntity } from '../tables/trigger/watch.entity.js';
import { CancellationEntity } from '../tables/webhook/cancellation.entity.js';
import { EncryptionKeyEntity } from '../tables/webhook/encryption-key.entity.js';
import { EventEntity } from '../tables/webhook/event.entity.js';
import { RateSlotEntity } from '../tables/webhook/rate-slot.entity.js';
import { RecoveryEntity } from '../tables/webhook/recovery.entity.js';
import { WebhookEntity } from '../tables/webhook/webhook.entity.js';

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

const ENTITIES = [
  WebhookEntity,
  EventEntity,
  NotificationEntity,
  TriggerEntity,
  AttemptEntity,
  RequestHeadEntity,
  CancellationEntity,
  GroupMemberEntity,
  OrderingMarkEntity,
  GroupHeadEntity,
  InstanceEntity,
  RateSlotEntity,
  ApiKeyEntity,
  RevokedKeyEntity,
  SessionEntity,
  IdempotencyEntity,
  RateLimitEntity,
  EncryptionKeyEntity,
  DecisionSetEntity,
  StatisticEntity,
  StatisticDeltaEntity,
  RecoveryEntity,
  NoticeEntity,
  TaskEntity,
  OverdueEntity,
  ChangeEntity,
  WatchEntity,
  LockEntity,
  UserMoveEntity,
];

const schemasOf = (dialect: Dialect): EntitySchema[] =>
  ENTITIES.map((entity) => schemaOf(entity, BACKENDS[dialect].columns));

/** A data source's metadata of these entities. @throws Error if it lacks any of them */
export function webhookMetadata(dataSource: DataSource): EntityMetadata[] {
  const missing = ENTITIES.filter((entity) => !dataSource.hasMetadata(entity)).map(({ name }) => name);
  if (missing.length === 0) return ENTITIES.map((entity) => dataSource.getMetadata(entity));
  const which = missing.length === ENTITIES.length ? '' : ` (${missing.join(', ')})`;
  throw new Error(
    `The data source does not have the entities of the webhooks${which}. Make it with webhookDatabase(url), or add ` +
      `...webhookEntities('${dialectOf(dataSource)}') to its option "entities"; autoLoadEntities does not add them.`,
  );
}
