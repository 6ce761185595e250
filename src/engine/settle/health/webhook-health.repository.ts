import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, LessThanOrEqual, MoreThan } from 'typeorm';
import { Database } from '../../../store/database.js';
import { type DisabledReason, WebhookEntity } from '../../../store/tables/webhook/webhook.entity.js';
import { CancellationRepository } from '../../ledger/cancel/cancellation.repository.js';
import { type NewNotice, NoticeRepository } from '../../report/notice.repository.js';
import type { FailingSpan } from '../../webhook/failing-span.js';
import { NOT_PROBED } from '../../webhook/probing.js';
import { ProbingStartRepository } from './probing-start.repository.js';

/** A webhook as it was when an attempt was made to it. */
interface SeenWebhook {
  webhookId: string;
  generation: number;
  failing: FailingSpan | null;
}

/** A webhook that the service switched off without having told the application yet; times are epoch milliseconds. */
export interface DisabledWebhook {
  webhookId: string;
  userId: string;
  reason: DisabledReason;
  untoldSince: number;
}

/** Notices sent in one look. */
const MAX_UNTOLD = 100;

/** The engine's writes to a webhook's row: how long it has been failing, and that it was disabled for that. */
@Injectable()
export class WebhookHealthRepository {
  constructor(
    private readonly database: Database,
    private readonly cancellations: CancellationRepository,
    private readonly notices: NoticeRepository,
    private readonly probing: ProbingStartRepository,
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
        { enabled: false, disabledReason: reason, untoldSince: now, updatedAt: now, ...after },
      );
      if (!affected) return false;
      if (reason === 'failing') await this.probing.store(manager, webhookId, failedId, now);
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

  /**
   * Disabled webhooks that the application has not been told of for `overdueMs`, or sooner after a step of the clock.
   */
  async untold(now: number, overdueMs: number): Promise<DisabledWebhook[]> {
    const rows = await this.database.run((manager) =>
      manager.find(WebhookEntity, {
        where: [
          { untoldSince: LessThanOrEqual(now - overdueMs) },
          { untoldSince: MoreThan(now + overdueMs) },
        ],
        take: MAX_UNTOLD,
      }),
    );
    return rows.map(({ id, userId, disabledReason, untoldSince }) => ({
      webhookId: id,
      userId,
      reason: disabledReason as DisabledReason,
      untoldSince: untoldSince as number,
    }));
  }

  /** @param to null if the application has been told. @returns false if another process has changed it meanwhile. */
  async setUntold({ webhookId: id, untoldSince }: DisabledWebhook, to: number | null): Promise<boolean> {
    const { affected } = await this.database.run((manager) =>
      manager.update(WebhookEntity, { id, untoldSince }, { untoldSince: to }),
    );
    return (affected ?? 0) > 0;
  }
}
