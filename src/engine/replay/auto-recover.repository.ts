import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull, LessThanOrEqual, MoreThan, Not } from 'typeorm';
import { failpoint } from '../../platform/failpoint.js';
import { Database } from '../../store/database.js';
import { TriggerEntity } from '../../store/tables/trigger/trigger.entity.js';
import { RecoveryEntity } from '../../store/tables/webhook/recovery.entity.js';
import { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import { HealthRepository } from '../health/health.repository.js';
import { broughtBack } from '../health/health-states.js';
import { LONGEST_PROBE_PAUSE_MS } from '../health/probing.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { WebhookSwitch } from '../ledger/webhook-switch.repository.js';
import { orderingRuleOf } from '../webhook/webhook-settings.js';
import { recoveryAfter } from './scan/new-recovery.js';
import { type Found, resentOf } from './scan/recovery-scope.js';

/** Webhooks examined together. */
export const AT_ONCE = 100;

/** A webhook as it was when it was decided what to do next. */
export type SeenWebhook = Pick<
  WebhookEntity,
  'id' | 'userId' | 'settings' | 'probeAt' | 'probeId' | 'probes'
>;

/**
 * The probing of webhooks that were disabled as `failing`. Each change locks the webhook's row and is made only if that stands
 * as it was seen: of several processes one makes it, and none does if the owner has switched, changed or deleted the webhook.
 */
@Injectable()
export class AutoRecoverRepository {
  private readonly lockedSql: string;

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
    private readonly health: HealthRepository,
    private readonly webhookSwitch: WebhookSwitch,
  ) {
    this.lockedSql = `SELECT id FROM webhook WHERE id = ? ${database.sql.forUpdate}`;
  }

  /** The webhooks with these ids that are being probed. */
  async probed(ids: string[]): Promise<WebhookEntity[]> {
    if (ids.length === 0) return [];
    const where = { id: In(ids), probeId: Not(IsNull()) };
    return this.database.run((manager) => manager.find(WebhookEntity, { where }));
  }

  /** The webhooks whose next probe is due, or for which the clock was set back since. @param but webhooks that are left out. */
  due(now: number, but: string[]): Promise<WebhookEntity[]> {
    const id = but.length > 0 ? { id: Not(In(but)) } : {};
    return this.database.run((manager) =>
      manager.find(WebhookEntity, {
        where: [
          { ...id, probeAt: LessThanOrEqual(now) },
          { ...id, probeAt: MoreThan(now + 2 * LONGEST_PROBE_PAUSE_MS) },
        ],
        order: { probeAt: 'ASC' },
        take: AT_ONCE,
      }),
    );
  }

  /** When the first of the others is due; null if there is none. */
  async nextAfter(now: number): Promise<number | null> {
    const [row] = await this.database.query<{ at: number | string | null }[]>(
      'SELECT MIN(probe_at) AS at FROM webhook WHERE probe_at > ?',
      [now],
    );
    return row?.at == null ? null : Number(row.at);
  }

  trigger(id: string): Promise<TriggerEntity | null> {
    return this.database.run((manager) => manager.findOneBy(TriggerEntity, { id }));
  }

  /** Notes when to go on. @param change the probe has ended, or nothing was found to probe with. */
  async wait(
    seen: SeenWebhook,
    probeAt: number,
    change: { probeId?: null; probes?: number } = {},
  ): Promise<void> {
    await this.database.transaction(async (manager) => {
      if (await this.health.lockedAsSeen(manager, seen))
        await this.health.nextProbe(manager, seen.id, { ...change, probeAt });
    });
  }

  /**
   * Makes a trigger due, or makes one that never was, before all others; it is sent although its webhook is disabled.
   *
   * @param probeAt when to look what became of it, if nothing is heard of it.
   * @returns false if the webhook has changed, or the trigger cannot be sent any more.
   */
  async probe(
    seen: SeenWebhook,
    found: Found,
    { now, probeAt }: { now: number; probeAt: number },
  ): Promise<boolean> {
    const { id: webhookId, userId, settings } = seen;
    const isOrdered = orderingRuleOf(settings) !== null;
    const changed = await this.ledger.resending(
      { webhookId, userId, isOrdered, cause: 'probe', ...resentOf([found], [now]) },
      this.health.isDueForProbe(seen),
      [],
      (steps) =>
        this.database.writeTogether([
          { sql: this.lockedSql, parameters: [webhookId] },
          ...steps,
          this.health.beginProbe(seen, found.triggerId, probeAt),
          'probe-written',
        ]),
    );
    failpoint('probe-committed');
    return changed > 0;
  }

  /**
   * Switches a webhook on and stores the recovery of what it missed, at once. One that was under way when the webhook was
   * disabled ends as it would have.
   *
   * @returns false if the webhook has changed.
   */
  async enable(seen: SeenWebhook, now: number): Promise<boolean> {
    const enabledAgain = await this.database.transaction(async (manager) => {
      const webhook = await this.health.lockedAsSeen(manager, seen);
      if (!webhook) return false;
      await this.webhookSwitch.change(manager, webhook, broughtBack(webhook, now), now);
      await manager.update(
        RecoveryEntity,
        { runningOf: webhook.id },
        { state: 'STOPPED', runningOf: null, endAt: now },
      );
      await manager.insert(
        RecoveryEntity,
        recoveryAfter(webhook, await this.newest(manager, webhook.userId), now),
      );
      failpoint('auto-recover-written');
      return true;
    });
    failpoint('auto-recover-committed');
    return enabledAgain;
  }

  private async newest(manager: EntityManager, userId: string): Promise<string | null> {
    const [row] = await this.database.query<{ id: string | null }[]>(
      `SELECT MAX(id) AS id FROM webhook_notification WHERE user_id = ?`,
      [userId],
      manager,
    );
    return row?.id ?? null;
  }
}
