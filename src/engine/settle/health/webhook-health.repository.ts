import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, LessThanOrEqual, MoreThan } from 'typeorm';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { firstIdOf } from '../../../platform/ids/first-id.js';
import { Database } from '../../../store/database.js';
import { type DisabledReason, WebhookEntity } from '../../../store/tables/webhook/webhook.entity.js';
import { CancellationRepository } from '../../ledger/cancel/cancellation.repository.js';
import { type NewNotice, NoticeRepository } from '../../report/notice.repository.js';
import { type FailingSpan, olderOf } from '../../webhook/failing-span.js';
import { NOT_PROBED, probingFrom } from '../../webhook/probing.js';
import { settingsPair } from '../../webhook/webhook-settings.js';
import { longestScheduleMs } from '../retry-schedule.js';

/** A webhook as it was when an attempt was made to it. */
interface SeenWebhook {
  webhookId: string;
  generation: number;
  failing: FailingSpan | null;
}

/** A webhook that the service switched off. */
export interface DisabledWebhook {
  webhookId: string;
  userId: string;
  reason: DisabledReason;
  /** When it was disabled. Epoch milliseconds. */
  since: number;
}

/** How many disabled webhooks are read at once, to tell the application of them. */
const MAX_PENDING = 100;

/** For "IS NOT NULL" SQLite would read all webhooks. */
const IS_PENDING = { disabledEventPendingSince: MoreThan(0) };

/** The engine's writes to a webhook's row: how long it has been failing, and that it was disabled for that. */
@Injectable()
export class WebhookHealthRepository {
  constructor(
    private readonly database: Database,
    private readonly cancellations: CancellationRepository,
    private readonly notices: NoticeRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Stores a span of failures, and a notice of it, if the row still holds the one that was seen.
   *
   * @returns false if it did not apply.
   */
  setFailing(
    seen: SeenWebhook,
    { since, quarters, oldest }: FailingSpan,
    notice: NewNotice | null,
  ): Promise<boolean> {
    const { webhookId: id, generation, failing } = seen;
    return this.database.transaction(async (manager) => {
      const { affected } = await manager.update(
        WebhookEntity,
        { id, generation, failingSince: failing?.since ?? IsNull(), failingQuarters: failing?.quarters ?? 0 },
        { failingSince: since, failingQuarters: quarters },
      );
      await this.lower(seen, oldest, manager);
      if (!affected) return false;
      if (notice) await this.notices.insert(manager, [notice]);
      return true;
    });
  }

  /** Notes that an older notification failed than was known; also if the webhook was disabled meanwhile. */
  async lower(
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

  /** @param until epoch milliseconds; null if the pause is over. */
  async setPaused({ webhookId: id, generation }: SeenWebhook, until: number | null): Promise<void> {
    await this.database.run((manager) =>
      manager.update(WebhookEntity, { id, generation }, { pausedUntil: until }),
    );
  }

  /** Forgets failures of attempts that began before this time, unless the webhook was disabled for them. */
  async clearFailing({ webhookId: id, generation }: SeenWebhook, time: number): Promise<void> {
    await this.database.run((manager) =>
      manager.update(
        WebhookEntity,
        { id, generation, enabled: true, failingSince: LessThanOrEqual(time) },
        { failingSince: null, failingQuarters: 0, recoverFrom: null },
      ),
    );
  }

  /**
   * Disables a webhook and cancels its waiting triggers, if the webhook is still the one that the attempt was made to
   * and, for reason `failing`, has been failing since the same time.
   *
   * @param failedId the id of the notification that failed last; null if it was sent again by hand.
   * @returns false if it did not apply.
   */
  disable(
    { webhookId, generation, failing }: SeenWebhook,
    reason: DisabledReason,
    { notice, failedId, now }: { notice: NewNotice | null; failedId: string | null; now: number },
  ): Promise<boolean> {
    const seen = { id: webhookId, generation, enabled: true };
    const since = reason === 'failing' ? { failingSince: failing?.since ?? IsNull() } : {};
    const after = reason === 'failing' ? {} : { recoverFrom: null };
    return this.database.transaction(async (manager) => {
      const { affected } = await manager.update(
        WebhookEntity,
        { ...seen, ...since },
        { enabled: false, disabledReason: reason, disabledEventPendingSince: now, updatedAt: now, ...after },
      );
      if (!affected) return false;
      if (reason === 'failing') await this.startProbing(manager, webhookId, failedId, now);
      await this.cancellations.cancelPending(manager, { webhookId }, now);
      if (notice) await this.notices.insert(manager, [notice]);
      return true;
    });
  }

  /** Notes that the receiver of a webhook that was disabled as `failing` is gone for good: it is not probed any more. */
  async setGone({ webhookId: id, generation }: SeenWebhook, now: number): Promise<void> {
    await this.database.run((manager) =>
      manager.update(
        WebhookEntity,
        { id, generation, enabled: false, disabledReason: 'failing' },
        { disabledReason: 'gone', recoverFrom: null, ...NOT_PROBED, updatedAt: now },
      ),
    );
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

  /** Notes of a webhook that is being disabled as `failing` since when it has missed something, and when to probe it. */
  private async startProbing(
    manager: EntityManager,
    id: string,
    failedId: string | null,
    now: number,
  ): Promise<void> {
    // Its settings may have changed since the attempt began.
    const row = await manager.findOneByOrFail(WebhookEntity, { id });
    const { effectiveSettings } = settingsPair(row, this.settings.delivery);
    const failingSince = row.failingSince ?? now;
    const pendingSince = failingSince - longestScheduleMs(effectiveSettings.retryScheduleSeconds);
    const recovering = await this.recoveringSince(manager, id, pendingSince);
    const oldest = olderOf(olderOf(row.recoverFrom, failedId), recovering);
    await manager.update(
      WebhookEntity,
      { id },
      { ...probingFrom(now, effectiveSettings), recoverFrom: oldest ?? firstIdOf(failingSince) },
    );
  }

  /**
   * Where a recovery began that made due what is not delivered yet, and what the webhook had missed: that is still missed.
   * A recovery without `missed` is ignored: resuming it would deliver more than the owner asked for.
   */
  private async recoveringSince(
    manager: EntityManager,
    webhookId: string,
    pendingSince: number,
  ): Promise<string | null> {
    const [row] = await this.database.query<{ since: number | string | null }[]>(
      `SELECT MIN(since) AS since FROM webhook_recovery
       WHERE webhook_id = ? AND missed = 1 AND (state = 'RUNNING' OR (state = 'DONE' AND end_at >= ?))`,
      [webhookId, Math.round(pendingSince)],
      manager,
    );
    return row?.since == null ? null : firstIdOf(Number(row.since));
  }
}
