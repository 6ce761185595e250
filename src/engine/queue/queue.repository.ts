import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { failpoint } from '../../platform/failpoint.js';
import { writeJson } from '../../platform/json/write-json.js';
import { Database } from '../../store/database.js';
import type { RowAnswer, SqliteAnswer } from '../../store/sqlite/sqlite-session.js';
import type { ClaimedRow } from '../ledger/claiming.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { type FoundNotification, smallBytes, withLargeBodies } from './claimed-bodies.js';
import { withNotifications } from './claimed-rows.js';
import type { LeasedNotification, LeasedTrigger } from './leased-trigger.js';

/** Joined with itself, as a body that is an expression would have no type. */
const SELECT_CLAIMED_NOTIFICATIONS = `SELECT n.id, n.traceparent, n.hops, LENGTH(n.body) AS bytes, small.body
  FROM webhook_notification AS n LEFT JOIN webhook_notification AS small ON small.id = n.id AND LENGTH(small.body) <= ?
  WHERE n.id IN (SELECT notification_id FROM webhook_trigger WHERE id IN (SELECT value FROM json_each(?)))`;

/** Claims triggers of the durable queue, with all that is needed to send them. */
@Injectable()
export class QueueRepository {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  /** Leases to an instance those of these triggers that are still pending. Nothing is locked when it resolves. */
  async claim(instanceId: string, ids: string[]): Promise<LeasedTrigger[]> {
    if (ids.length === 0) return [];
    if (this.database.runsScripts) return this.claimEach(instanceId, ids);
    return this.database.transaction(async (manager) => {
      const claimed = await this.ledger.claim(manager, instanceId, ids);
      failpoint('claim-leased');
      // Read before the commit: if reading failed afterwards, nobody would know of the leases.
      return withNotifications(instanceId, claimed, await this.notificationsOf(manager, claimed));
    });
  }

  private async claimEach(instanceId: string, ids: string[]): Promise<LeasedTrigger[]> {
    const [claimed, found] = await this.ledger.claiming(instanceId, ids, (claim, noted) =>
      this.database.script([
        claim,
        'claim-leased',
        { sql: SELECT_CLAIMED_NOTIFICATIONS, parameters: [smallBytes(ids.length), writeJson(ids)] },
        ...noted,
      ]),
    );
    return withNotifications(
      instanceId,
      (claimed as RowAnswer<ClaimedRow>[]).filter((row) => typeof row === 'object'),
      await withLargeBodies((found as SqliteAnswer).rows as FoundNotification[], (large) =>
        // The triggers are leased by now. What cannot be read is requeued.
        this.bodiesOf(large).catch(() => []),
      ),
    );
  }

  private async notificationsOf(
    manager: EntityManager,
    claimed: ClaimedRow[],
  ): Promise<LeasedNotification[]> {
    if (claimed.length === 0) return [];
    const ids = [...new Set(claimed.map((row) => row.notification_id))];
    const found = await this.database.query<FoundNotification[]>(
      `SELECT id, traceparent, hops, LENGTH(body) AS bytes, IF(LENGTH(body) <= ?, body, NULL) AS body
       FROM webhook_notification WHERE id IN (?)`,
      [smallBytes(ids.length), ids],
      manager,
    );
    return withLargeBodies(found, (large) => this.bodiesOf(large, manager));
  }

  private bodiesOf(ids: string[], manager?: EntityManager): Promise<{ id: string; body: Buffer }[]> {
    const list = this.database.sql.idList(ids);
    const sql = `SELECT id, body FROM webhook_notification WHERE id IN ${list.sql}`;
    return this.database.query(sql, [list.parameter], manager);
  }
}
