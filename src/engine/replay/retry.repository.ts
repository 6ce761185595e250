import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DepartedUsers } from '../../move/departed-users.js';
import { checkedOwner, type Owner } from '../../platform/access/owner.js';
import { Database } from '../../store/database.js';
import type { TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';
import { Ledger } from '../ledger/ledger.repository.js';

/**
 * Why a trigger was not made due: it is another user's or none, an attempt is under way, there is nothing to send, or its user
 * has moved to another cell.
 */
export const RETRY_REFUSALS = ['not_found', 'trigger_delivering', 'payload_gone', 'user_moved'] as const;
/** Why a trigger cannot be retried. */
export type RetryRefusal = (typeof RETRY_REFUSALS)[number];

interface FoundRow {
  id: string;
  notification_id: string;
  user_id: string;
}

/** Makes triggers due before all others because somebody asked for it. */
@Injectable()
export class RetryRepository {
  /** Keeps the bodies from being taken away until the triggers are due; whoever does that locks these rows first. */
  private readonly shared: string;
  private readonly locked: string;

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
    private readonly departed: DepartedUsers,
  ) {
    this.shared = database.sql.forShare;
    this.locked = database.sql.forUpdate;
  }

  /**
   * Makes triggers due before all others, on a fresh retry schedule, in one transaction.
   *
   * @returns why each of the others was not.
   */
  async makeDue(owner: Owner, ids: string[], now: number): Promise<Map<string, RetryRefusal>> {
    const found = new Map((await this.find(owner, ids)).map((row) => [row.id, row]));
    const moved = new Set<string>();
    for (const { id, user_id } of found.values()) if (await this.departed.has(user_id)) moved.add(id);
    const rows = [...found.values()].filter(({ id }) => !moved.has(id));
    const refusals = (statuses: Map<string, TriggerStatus>, sendable: Set<string>) => {
      const refused = new Map<string, RetryRefusal>();
      for (const id of ids) {
        const status = statuses.get(id);
        if (moved.has(id)) refused.set(id, 'user_moved');
        else if (status === undefined) refused.set(id, 'not_found');
        else if (!sendable.has(found.get(id)?.notification_id ?? '')) refused.set(id, 'payload_gone');
        else if (status === 'DELIVERING') refused.set(id, 'trigger_delivering');
      }
      return refused;
    };
    if (rows.length === 0) return refusals(new Map(), new Set());
    return this.database.transaction(async (manager) => {
      // Everybody locks notifications before their triggers, each in the order of their ids.
      const sendable = await this.sendable(manager, rows);
      const refused = refusals(await this.lock(manager, rows), sendable);
      await this.ledger.apply(manager, 'retry', { ids: ids.filter((id) => !refused.has(id)) }, now);
      return refused;
    });
  }

  private find(owner: Owner, ids: string[]): Promise<FoundRow[]> {
    const [ownedSql, owned] = checkedOwner(owner) === null ? ['', []] : [' AND user_id = ?', [owner]];
    const list = this.database.sql.idList(ids);
    return this.database.query(
      `SELECT id, notification_id, user_id FROM webhook_trigger WHERE id IN ${list.sql}${ownedSql}`,
      [list.parameter, ...owned],
    );
  }

  /** The notifications that still have their bodies. */
  private async sendable(manager: EntityManager, found: FoundRow[]): Promise<Set<string>> {
    const list = this.database.sql.idList([...new Set(found.map(({ notification_id }) => notification_id))]);
    const rows = await this.database.query<{ id: string; payload_gone_at: number | string }[]>(
      `SELECT id, payload_gone_at FROM webhook_notification WHERE id IN ${list.sql} ORDER BY id ${this.shared}`,
      [list.parameter],
      manager,
    );
    return new Set(rows.filter((row) => Number(row.payload_gone_at) === 0).map(({ id }) => id));
  }

  private async lock(manager: EntityManager, found: FoundRow[]): Promise<Map<string, TriggerStatus>> {
    const list = this.database.sql.idList(found.map(({ id }) => id));
    const rows = await this.database.query<{ id: string; status: TriggerStatus }[]>(
      `SELECT id, status FROM webhook_trigger WHERE id IN ${list.sql} ORDER BY id ${this.locked}`,
      [list.parameter],
      manager,
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  }
}
