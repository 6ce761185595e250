import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { firstIdOf } from '../../../platform/ids/first-id.js';
import { Database } from '../../../store/database.js';
import { WebhookEntity } from '../../../store/tables/webhook/webhook.entity.js';
import { olderOf } from '../../webhook/failing-span.js';
import { probingFrom } from '../../webhook/probing.js';
import { settingsPair } from '../../webhook/webhook-settings.js';
import { longestScheduleMs } from '../retry-schedule.js';

/** Notes of a webhook that is being disabled as `failing` since when it has missed something, and when to probe it. */
@Injectable()
export class ProbingStartRepository {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param failedId the id of the notification that failed last; null if it was sent again by hand. */
  async store(manager: EntityManager, id: string, failedId: string | null, now: number): Promise<void> {
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
   * What the owner wanted without the latter is not taken up, because the webhook would get more than he asked for.
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
