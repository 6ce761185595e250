import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';
import { keysOf } from '../../store/sql.js';
import { orderingRuleOf } from '../webhook/webhook-settings.js';
import { type GroupPosition, positionOf } from './ordering-key.js';

/** Where triggers stand in their groups, or will stand if they are undelivered. */
export type Positions = Map<string, GroupPosition>;

interface PositionRow {
  id: string;
  /** Null if the trigger belongs to no group yet. */
  ordering_key: string | null;
  position: string;
  topic: string | null;
  /** Null if it belongs to one, or trigger or webhook are gone. So may be what follows. */
  webhook_id: string | null;
  notification_id: string;
  event_kind: string;
  record_id: string | Buffer | null;
  settings: string | null;
}

/** Tells where triggers stand. */
@Injectable()
export class GroupPositions {
  private readonly findSql: string;

  constructor(private readonly database: Database) {
    const ids = database.sql.jsonRows({ id: 'id' });
    // Nearly every trigger is a member, and nothing else is read of it.
    this.findSql = `SELECT j.id, m.ordering_key, m.position, m.topic,
        w.id AS webhook_id, t.notification_id, t.event_kind, n.record_id, w.settings
      FROM ${ids} AS j LEFT JOIN webhook_group_member AS m ON m.trigger_id = j.id
      LEFT JOIN webhook_trigger AS t ON t.id = j.id AND m.trigger_id IS NULL
      LEFT JOIN webhook_notification AS n ON n.id = t.notification_id LEFT JOIN webhook AS w ON w.id = t.webhook_id`;
  }

  /** Leaves out those that belong to no group, and will not, as their webhook has changed. */
  async find(manager: EntityManager, triggerIds: string[]): Promise<Positions> {
    const rows = await this.database.query<PositionRow[]>(this.findSql, [keysOf(triggerIds)], manager);
    const positions: Positions = new Map();
    for (const row of rows) {
      const { ordering_key: orderingKey, position, topic } = row;
      const found =
        orderingKey === null ? await this.positionAnew(manager, row) : { orderingKey, position, topic };
      if (found) positions.set(row.id, found);
    }
    return positions;
  }

  private async positionAnew(manager: EntityManager, row: PositionRow): Promise<GroupPosition | null> {
    const rule = orderingRuleOf(row.settings);
    if (rule === null || row.webhook_id === null) return null;
    const { notification_id: id, event_kind: eventKind } = row;
    // One by one: many bodies at once would fill the memory, and block the event loop while they are parsed.
    const isByBody = rule.coalesce && eventKind === 'ANALYSIS_FINISHED';
    const body = isByBody ? await this.body(manager, id) : null;
    const recordId = row.record_id?.toString() ?? null;
    return positionOf(row.webhook_id, { id, eventKind, recordId, body }, rule);
  }

  private async body(manager: EntityManager, notificationId: string): Promise<Buffer | null> {
    // The column itself: an expression of it is no Buffer on SQLite.
    const sql = 'SELECT body FROM webhook_notification WHERE id = ?';
    const [found] = await this.database.query<{ body: Buffer }[]>(sql, [notificationId], manager);
    return found?.body ?? null;
  }
}
