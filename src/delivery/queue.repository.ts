import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { failpoint } from '../common/failpoint.js';
import { Database } from '../database/database.js';
import { idList, updateFromRows } from '../database/json-rows.js';
import { NotificationEntity } from '../trigger/notification.entity.js';
import { TriggerEntity } from '../trigger/trigger.entity.js';
import type { LeasedTrigger } from './leased-trigger.js';

/** What a lease is given back as. */
export interface Release {
  status: 'CANCELLED' | 'PENDING';
  /** When it was cancelled, or is due. Epoch milliseconds. */
  at: number;
}

/** The durable queue: due triggers out, leases back. */
@Injectable()
export class QueueRepository {
  private readonly releaseSql: string;

  constructor(private readonly database: Database) {
    this.releaseSql = updateFromRows(
      database.dialect,
      'webhook_trigger',
      { id: 'id', lease: 'integer', status: 'word', next_attempt_at: 'integer', end_at: 'integer' },
      {
        status: 'j.status',
        next_attempt_at: 'j.next_attempt_at',
        end_at: 'j.end_at',
        leased_by: 'NULL',
        lease: 't.lease + 1',
      },
      't.id = j.id AND t.lease = j.lease',
    );
  }

  /**
   * Leases up to `limit` due triggers to an instance, oldest due first. Nothing is locked when it returns.
   *
   * @param except webhooks that can take no more at the moment.
   */
  async claimDue(instanceId: string, now: number, limit: number, except: string[]): Promise<LeasedTrigger[]> {
    return this.database.transaction(async (manager) => {
      const ids = await this.dueIds(manager, now, limit, except);
      if (ids.length === 0) return [];
      const claimable = idList(this.database.dialect, ids);
      await this.database.query(
        `UPDATE webhook_trigger SET status = 'DELIVERING', leased_by = ?, lease = lease + 1 WHERE id IN ${claimable.sql}`,
        [instanceId, claimable.parameter],
        manager,
      );
      failpoint('claim-leased');
      const triggers = await manager.find(TriggerEntity, {
        select: {
          id: true,
          webhookId: true,
          eventId: true,
          notificationId: true,
          lease: true,
          attemptCount: true,
          scheduleOffset: true,
        },
        where: { id: In(ids) },
        order: { nextAttemptAt: 'ASC', id: 'ASC' },
      });
      // Read before the commit: what fails later would leave leases that nobody holds.
      return this.withNotifications(manager, triggers);
    });
  }

  /** When the next pending trigger is due that was not by `time`; null where none waits. */
  async nextDueAfter(time: number): Promise<number | null> {
    const [row] = await this.database.query<{ at: number | string | null }[]>(
      `SELECT MIN(next_attempt_at) AS at FROM webhook_trigger WHERE status = 'PENDING' AND next_attempt_at > ?`,
      [time],
    );
    return row?.at == null ? null : Number(row.at);
  }

  /** Gives leases back without an attempt, where they are still held. */
  async release(leased: Pick<LeasedTrigger, 'id' | 'lease'>[], as: Release): Promise<void> {
    if (leased.length === 0) return;
    const pending = as.status === 'PENDING';
    const rows = leased.map(({ id, lease }) => [
      id,
      lease,
      as.status,
      pending ? as.at : null,
      pending ? null : as.at,
    ]);
    failpoint('release-before');
    await this.database.query(this.releaseSql, [JSON.stringify(rows)]);
    failpoint('release-after');
  }

  /** The leases of an instance, as the database knows them: each trigger's id and fencing token. */
  async leasesOf(instanceId: string): Promise<Map<string, number>> {
    const rows = await this.database.query<{ id: string; lease: number }[]>(
      `SELECT id, lease FROM webhook_trigger WHERE status = 'DELIVERING' AND leased_by = ?`,
      [instanceId],
    );
    return new Map(rows.map(({ id, lease }) => [id, lease]));
  }

  private async dueIds(
    manager: EntityManager,
    now: number,
    limit: number,
    except: string[],
  ): Promise<string[]> {
    const full = idList(this.database.dialect, except);
    const excluded = except.length > 0 ? ` AND webhook_id NOT IN ${full.sql}` : '';
    const lock = this.database.dialect === 'mysql' ? ' FOR UPDATE SKIP LOCKED' : '';
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM webhook_trigger WHERE status = 'PENDING' AND next_attempt_at <= ?${excluded}
       ORDER BY next_attempt_at, id LIMIT ${limit}${lock}`,
      [now, ...(excluded ? [full.parameter] : [])],
      manager,
    );
    return rows.map(({ id }) => id);
  }

  private async withNotifications(
    manager: EntityManager,
    triggers: TriggerEntity[],
  ): Promise<LeasedTrigger[]> {
    if (triggers.length === 0) return [];
    const ids = [...new Set(triggers.map((trigger) => trigger.notificationId))];
    const found = await manager.find(NotificationEntity, {
      select: { id: true, traceparent: true, body: true },
      where: { id: In(ids) },
    });
    const notifications = new Map(found.map((notification) => [notification.id, notification]));
    return triggers.map(({ notificationId, ...trigger }) => {
      const notification = notifications.get(notificationId);
      if (!notification) throw new Error(`Trigger ${trigger.id} has lost its notification.`);
      return { ...trigger, notification };
    });
  }
}
