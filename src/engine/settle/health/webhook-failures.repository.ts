import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { firstIdOf } from '../../../platform/ids/first-id.js';
import { Database } from '../../../store/database.js';
import type { DisabledReason, WebhookEntity } from '../../../store/tables/webhook/webhook.entity.js';
import { type FailingSpan, olderOf } from '../../health/failing-span.js';
import { HealthRepository, type SeenWebhook } from '../../health/health.repository.js';
import { DISABLED_AS_GONE, disabledAsFailing, type Health } from '../../health/health-states.js';
import { QueueSignals } from '../../ledger/queue-signals.js';
import { WebhookSwitch } from '../../ledger/webhook-switch.repository.js';
import { type NewNotice, NoticeRepository } from '../../report/notice.repository.js';
import { settingsPair } from '../../webhook/webhook-settings.js';
import { longestScheduleMs } from '../retry-schedule.js';

/** Stores that a webhook fails, and that it was disabled for that, each in one transaction with the notice of it. */
@Injectable()
export class WebhookFailures {
  constructor(
    private readonly database: Database,
    private readonly health: HealthRepository,
    private readonly webhookSwitch: WebhookSwitch,
    private readonly notices: NoticeRepository,
    private readonly signals: QueueSignals,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Stores a span of failures, if the webhook's row still holds the one that was seen. @returns false if it does not. */
  fails(seen: SeenWebhook, span: FailingSpan, notice: NewNotice | null): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      if (!(await this.health.fails(manager, seen, span))) return false;
      await this.note(manager, notice);
      return true;
    });
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
    return this.database.transaction(async (manager) => {
      const row = await this.health.locked(manager, webhookId);
      if (!row?.enabled || row.generation !== generation) return false;
      if (reason === 'failing' && row.failingSince !== (failing?.since ?? null)) return false;
      const health = reason === 'gone' ? DISABLED_AS_GONE : await this.failed(manager, row, failedId, now);
      const to = { enabled: false, disabledEventPendingSince: now, stateSince: now, ...health };
      await this.webhookSwitch.change(manager, row, to, now);
      await this.note(manager, notice);
      return true;
    });
  }

  private async note(manager: EntityManager, notice: NewNotice | null): Promise<void> {
    if (notice === null) return;
    await this.notices.insert(manager, [notice]);
    this.database.onCommit(manager, () => this.signals.emit('noticed'));
  }

  /** Since when it has missed something. By its settings as they are now: they may have changed since the attempt began. */
  private async failed(
    manager: EntityManager,
    row: WebhookEntity,
    failedId: string | null,
    now: number,
  ): Promise<Partial<Health>> {
    const { effectiveSettings } = settingsPair(row, this.settings.delivery);
    const failingSince = row.failingSince ?? now;
    const pendingSince = failingSince - longestScheduleMs(effectiveSettings.retryScheduleSeconds);
    const recovering = await this.recoveringSince(manager, row.id, pendingSince);
    const oldest = olderOf(olderOf(row.recoverFrom, failedId), recovering);
    return disabledAsFailing(oldest ?? firstIdOf(failingSince), effectiveSettings, now);
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
