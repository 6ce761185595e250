import { Injectable } from '@nestjs/common';
import { Database } from '../../../store/database.js';
import { EventFilters } from '../../filter/event-filters.service.js';
import {
  missedTriggerId,
  type RecoveryScope,
  type ReplayScan,
  type ScanCount,
  type ScanPage,
} from './recovery-scope.js';

interface Row {
  id: string;
  event_kind: string;
  trigger_id: string | null;
  bytes: number | string;
}

const ROW = 'n.id, n.event_kind, t.id AS trigger_id, LENGTH(n.body) AS bytes';
/** Bodies read at once. */
const MAX_BODIES = 200;
const MAX_BYTES = 1024 * 1024;

/** Rows whose bodies are read together. */
function partsOf(rows: Row[]): Row[][] {
  const parts: Row[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const last = parts.at(-1);
    if (!last || last.length >= MAX_BODIES || bytes + Number(row.bytes) > MAX_BYTES) {
      parts.push([row]);
      bytes = 0;
    } else last.push(row);
    bytes += Number(row.bytes);
  }
  return parts;
}

/**
 * Scans the notifications of a webhook's user, of the kinds that it is subscribed to: those whose trigger ended
 * undelivered, and those for which it has none. A notification is stored together with its triggers, so one without a
 * trigger will not get one from anybody else.
 */
@Injectable()
export class MissedScan implements ReplayScan {
  readonly maxWindow = 2000;
  private readonly notifications: string;
  private readonly from: string;

  constructor(
    private readonly database: Database,
    private readonly filters: EventFilters,
  ) {
    const by = (index: string) => database.sql.byIndex(index);
    this.notifications = `webhook_notification AS n ${by('webhook_notification_user')}`;
    this.from = `FROM ${this.notifications}
      LEFT JOIN webhook_trigger AS t ${by('webhook_trigger_notification')} ON t.notification_id = n.id AND t.webhook_id = ?
      WHERE n.user_id = ? AND n.id > ? AND n.id <= ? AND n.is_test = 0 AND n.payload_gone_at = 0
        AND (n.about_webhook_id IS NULL OR n.about_webhook_id <> ?)
        AND (t.id IS NULL OR (t.status IN ('FAILED', 'CANCELLED') AND t.cancelled_for IS NULL))`;
  }

  async next(scope: RecoveryScope, after: string, limit: number, window: number): Promise<ScanPage> {
    const through = await this.through(scope, after, window);
    const rows = await this.select<Row>(scope, ROW, [
      after,
      through ?? scope.endId,
      `ORDER BY n.id LIMIT ${limit}`,
    ]);
    const filteredOut = await this.filteredOut(scope, rows);
    const events = new Map(scope.events.map((event) => [event.kind, event]));
    const found = rows.flatMap(({ id, event_kind, trigger_id }) => {
      const event = events.get(event_kind);
      if (!event || filteredOut.has(id)) return [];
      const triggerId = trigger_id ?? missedTriggerId(id, scope.webhookId);
      return [{ place: id, triggerId, isNew: trigger_id === null, notificationId: id, event }];
    });
    return { found, through: rows.length === limit ? (rows.at(-1)?.id ?? null) : through };
  }

  async count(scope: RecoveryScope, after: string, window: number): Promise<ScanCount> {
    const through = await this.through(scope, after, window);
    const place: [string, string, string] = [after, through ?? scope.endId, ''];
    if (scope.events.some(({ filterHash }) => filterHash !== null)) {
      const rows = await this.select<Row>(scope, ROW, place);
      return { count: rows.length - (await this.filteredOut(scope, rows)).size, through };
    }
    const [row] = await this.select<{ count: number | string }>(scope, 'COUNT(*) AS count', place);
    return { count: Number(row?.count ?? 0), through };
  }

  /** The notifications without a trigger that the filter of their event does not let through. */
  private async filteredOut({ events }: RecoveryScope, rows: Row[]): Promise<Set<string>> {
    const out = new Set<string>();
    const filterable = events.map(({ id, kind, filterHash }) => ({ eventId: id, kind, filterHash }));
    const filters = await this.filters.of(filterable, null);
    if (filters.isEmpty) return out;
    const byKind = new Map(filterable.map((event) => [event.kind, event]));
    const judged = rows.filter(
      ({ event_kind, trigger_id }) => trigger_id === null && byKind.get(event_kind)?.filterHash != null,
    );
    for (const part of partsOf(judged)) {
      const ids = this.database.sql.idList(part.map(({ id }) => id));
      const bodies = await this.database.query<{ id: string; event_kind: string; body: Buffer }[]>(
        `SELECT id, event_kind, body FROM webhook_notification WHERE id IN ${ids.sql} AND payload_gone_at = 0`,
        [ids.parameter],
      );
      for (const { id, event_kind, body } of bodies) {
        const event = byKind.get(event_kind);
        if (event && (await filters.unmatched([event], body)).length > 0) out.add(id);
      }
    }
    return out;
  }

  /** The last id of a window; null if it reaches the end. */
  private async through(scope: RecoveryScope, after: string, window: number): Promise<string | null> {
    const [row] = await this.database.query<{ id: string }[]>(
      `SELECT n.id FROM ${this.notifications} WHERE n.user_id = ? AND n.id > ? AND n.id < ?
       ORDER BY n.id LIMIT 1 OFFSET ${window}`,
      [scope.userId, after, scope.endId],
    );
    return row?.id ?? null;
  }

  private async select<T>(
    { webhookId, userId, events }: RecoveryScope,
    what: string,
    [after, end, tail]: [after: string, end: string, tail: string],
  ): Promise<T[]> {
    if (events.length === 0) return [];
    const kinds = this.database.sql.idList(events.map(({ kind }) => kind));
    return this.database.query<T[]>(`SELECT ${what} ${this.from} AND n.event_kind IN ${kinds.sql} ${tail}`, [
      webhookId,
      userId,
      after,
      end,
      webhookId,
      kinds.parameter,
    ]);
  }
}
