import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DepartedUsers } from '../../move/departed-users.js';
import { checkedOwner, type Owner } from '../../rest/principal.js';
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

interface LockedRow {
  id: string;
  status: TriggerStatus;
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
    const moved = new Set<string>();
    const found: FoundRow[] = [];
    for (const row of await this.find(owner, ids)) {
      if (await this.departed.has(row.user_id)) moved.add(row.id);
      else found.push(row);
    }
    const refused =
      found.length === 0
        ? refusals(ids, found, new Set(), new Map())
        : await this.database.transaction((manager) => this.makeFoundDue(manager, ids, found, now));
    for (const id of moved) refused.set(id, 'user_moved');
    return refused;
  }

  private async makeFoundDue(
    manager: EntityManager,
    ids: string[],
    found: FoundRow[],
    now: number,
  ): Promise<Map<string, RetryRefusal>> {
    // Everybody locks notifications before their triggers, each in the order of their ids.
    const sendable = await this.sendable(manager, found);
    const locked = await this.lock(manager, found);
    const refused = refusals(ids, found, sendable, locked);
    const due = ids.filter((id) => !refused.has(id));
    await this.ledger.apply(manager, 'retry', { ids: due }, now);
    return refused;
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

  private async lock(manager: EntityManager, found: FoundRow[]): Promise<Map<string, LockedRow>> {
    const list = this.database.sql.idList(found.map(({ id }) => id));
    const rows = await this.database.query<LockedRow[]>(
      `SELECT id, status FROM webhook_trigger WHERE id IN ${list.sql} ORDER BY id ${this.locked}`,
      [list.parameter],
      manager,
    );
    return new Map(rows.map((row) => [row.id, row]));
  }
}

function refusals(
  ids: string[],
  found: FoundRow[],
  sendable: Set<string>,
  locked: Map<string, LockedRow>,
): Map<string, RetryRefusal> {
  const notifications = new Map(found.map((row) => [row.id, row.notification_id]));
  const refusalOf = (id: string): RetryRefusal | null => {
    const notificationId = notifications.get(id);
    const status = locked.get(id)?.status;
    if (notificationId === undefined || status === undefined) return 'not_found';
    if (!sendable.has(notificationId)) return 'payload_gone';
    return status === 'DELIVERING' ? 'trigger_delivering' : null;
  };
  return new Map(
    ids.flatMap((id) => {
      const refusal = refusalOf(id);
      return refusal === null ? [] : [[id, refusal] as const];
    }),
  );
}
