import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, MoreThan } from 'typeorm';
import { writeJson } from '../../platform/json/write-json.js';
import { Database } from '../../store/database.js';
import type { Statement } from '../../store/insert.js';
import { type DisabledReason, WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import type { FailingSpan } from './failing-span.js';
import { DISABLED_AS_GONE, type HealthChange } from './health-states.js';

/** A webhook as it was when an attempt was made to it. */
export interface SeenWebhook {
  webhookId: string;
  generation: number;
  failing: FailingSpan | null;
}

/** The trigger of a webhook whose attempt failed last. */
export interface FailedLast extends Pick<SeenWebhook, 'webhookId' | 'generation'> {
  triggerId: string;
}

/** A webhook that the service switched off. */
export interface DisabledWebhook {
  webhookId: string;
  userId: string;
  reason: DisabledReason;
  /** When it was disabled. Epoch milliseconds. */
  since: number;
}

/** A webhook that was disabled as `failing`, as it was when it was decided what to do next. */
export type ProbedWebhook = Pick<WebhookEntity, 'id' | 'probeAt' | 'probeId'>;

/** SQL for a webhook that stands as it was seen, when it was due to be probed. */
const IS_DUE = `id = ? AND disabled_reason = 'failing' AND probe_id IS NULL AND probe_at = ?`;

/** How many disabled webhooks are read at once, to tell the application of them. */
const MAX_PENDING = 100;

/** For "IS NOT NULL" SQLite would read all webhooks. */
const IS_PENDING = { disabledEventPendingSince: MoreThan(0) };

/**
 * Stores what attempts say of their webhook's receiver. What was seen of a webhook that was switched or pointed elsewhere
 * since says nothing, and changes nothing.
 */
@Injectable()
export class HealthRepository {
  private readonly failedSql: string;

  constructor(private readonly database: Database) {
    this.failedSql = database.sql.updateFromRows(
      'webhook',
      { webhook_id: 'id', generation: 'integer', trigger_id: 'id' },
      { last_failed_id: 'j.trigger_id' },
      't.id = j.webhook_id AND t.generation = j.generation',
    );
  }

  /** Stores a span of failures, if the row still holds the one that was seen. @returns false if it does not. */
  async fails(
    manager: EntityManager,
    seen: SeenWebhook,
    { since, quarters, oldest }: FailingSpan,
  ): Promise<boolean> {
    const { webhookId: id, generation, failing } = seen;
    const { affected } = await manager.update(
      WebhookEntity,
      { id, generation, failingSince: failing?.since ?? IsNull(), failingQuarters: failing?.quarters ?? 0 },
      { failingSince: since, failingQuarters: quarters, ...(failing === null && { stateSince: since }) },
    );
    await this.missed(seen, oldest, manager);
    return Boolean(affected);
  }

  /** Notes that an older notification failed than was known; also if the webhook was disabled meanwhile. */
  async missed(
    { webhookId, generation }: SeenWebhook,
    oldest: string | null,
    manager?: EntityManager,
  ): Promise<void> {
    if (oldest === null) return;
    await this.database.query(
      `UPDATE webhook SET recover_from = ? WHERE id = ? AND generation = ? AND failing_since IS NOT NULL
         AND (recover_from IS NULL OR recover_from > ?)`,
      [oldest, webhookId, generation, oldest],
      manager,
    );
  }

  /** Forgets failures of attempts that began before this time, unless the webhook was disabled for them. */
  async works({ webhookId, generation }: SeenWebhook, time: number): Promise<void> {
    await this.database.query(
      `UPDATE webhook SET failing_since = NULL, failing_quarters = 0, recover_from = NULL, delivered = 1, state_since = ?
       WHERE id = ? AND generation = ? AND disabled_reason IS NULL
         AND (failing_since <= ? OR (failing_since IS NULL AND delivered = 0))`,
      [time, webhookId, generation, time],
    );
  }

  /** Its receiver is left alone. @param until epoch milliseconds. */
  async paused({ webhookId, generation }: SeenWebhook, until: number, now: number): Promise<void> {
    await this.database.query(
      `UPDATE webhook SET paused_since = CASE WHEN paused_until > ? THEN paused_since ELSE ? END, paused_until = ?
       WHERE id = ? AND generation = ?`,
      [now, now, until, webhookId, generation],
    );
  }

  /** Its receiver is not left alone any more. */
  async resumed({ webhookId: id, generation }: SeenWebhook): Promise<void> {
    await this.database.run((manager) =>
      manager.update(WebhookEntity, { id, generation }, { pausedUntil: null }),
    );
  }

  /** Stores the triggers whose attempts failed last, one of a webhook. */
  async failedLast(failures: FailedLast[]): Promise<void> {
    const rows = failures.map(({ webhookId, generation, triggerId }) => [webhookId, generation, triggerId]);
    await this.database.query(this.failedSql, [writeJson(rows)]);
  }

  /** The receiver of a webhook that was disabled as `failing` is gone for good: it is not probed any more. */
  async goneForGood({ webhookId: id, generation }: SeenWebhook, now: number): Promise<void> {
    await this.database.run((manager) =>
      manager.update(
        WebhookEntity,
        { id, generation, disabledReason: 'failing' },
        { ...DISABLED_AS_GONE, updatedAt: now },
      ),
    );
  }

  /** SQL for: the webhook stands as it was seen, when it was due to be probed. */
  isDueForProbe({ id, probeAt }: ProbedWebhook): Statement {
    return { sql: `EXISTS (SELECT 1 FROM webhook WHERE ${IS_DUE})`, parameters: [id, probeAt] };
  }

  /** The statement that notes the trigger which a webhook is probed with, if that was made due for it. */
  beginProbe({ id, probeAt: seenAt }: ProbedWebhook, triggerId: string, probeAt: number): Statement {
    return {
      sql: `UPDATE webhook SET probe_at = ?, probe_id = ?, probes = probes + 1 WHERE ${IS_DUE}
        AND EXISTS (SELECT 1 FROM webhook_trigger WHERE id = ? AND status = 'PENDING' AND cause = 'probe')`,
      parameters: [probeAt, triggerId, id, seenAt, triggerId],
    };
  }

  /** Notes when to go on with the probing of a webhook, which the caller has locked. */
  async nextProbe(
    manager: EntityManager,
    id: string,
    next: { probeAt: number; probeId?: null; probes?: number },
  ): Promise<void> {
    await manager.update(WebhookEntity, { id }, next);
  }

  /** Locks a webhook that is probed, if it stands as it was seen, until the manager's transaction ends. */
  async lockedAsSeen(
    manager: EntityManager,
    { id, probeAt, probeId }: ProbedWebhook,
  ): Promise<WebhookEntity | null> {
    const found = await this.locked(manager, id);
    if (found?.disabledReason !== 'failing') return null;
    return found.probeAt === probeAt && found.probeId === probeId ? found : null;
  }

  /** Locks a webhook until the manager's transaction ends. */
  locked(manager: EntityManager, id: string): Promise<WebhookEntity | null> {
    return manager.findOne(WebhookEntity, { where: { id }, ...this.database.lockedRows });
  }

  /** Writes what a change means for a webhook's health. The caller has locked its row. */
  async change(
    manager: EntityManager,
    { id, updatedAt }: Pick<WebhookEntity, 'id' | 'updatedAt'>,
    change: HealthChange,
    now: number,
  ): Promise<void> {
    // The ETag goes by `updated_at`: each change has a later one than the last, whatever the clock says.
    await manager.update(WebhookEntity, { id }, { ...change, updatedAt: Math.max(now, updatedAt + 1) });
  }

  /** Disabled webhooks that the application has not been told of. */
  async pendingDisabledEvents(): Promise<DisabledWebhook[]> {
    const rows = await this.database.run((manager) =>
      manager.find(WebhookEntity, { where: IS_PENDING, take: MAX_PENDING }),
    );
    return rows.map(({ id, userId, disabledReason, disabledEventPendingSince }) => ({
      webhookId: id,
      userId,
      reason: disabledReason as DisabledReason,
      since: disabledEventPendingSince as number,
    }));
  }

  /**
   * Tells of a disabled webhook, unless that was told. It does so before the commit: if the process dies in between, it is told
   * again. Who does the same at that moment waits for the row.
   */
  tellOnce({ webhookId: id, reason, since }: DisabledWebhook, tell: () => void): Promise<void> {
    return this.database.transaction(async (manager) => {
      const pending = { id, disabledReason: reason, disabledEventPendingSince: since };
      const { affected } = await manager.update(WebhookEntity, pending, { disabledEventPendingSince: null });
      if (affected) tell();
    });
  }
}
