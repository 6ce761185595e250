import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../database/database.js';
import { indexHint } from '../database/index-hint.js';
import { idList, updateFromRows } from '../database/json-rows.js';
import { CancellationEntity } from './cancellation.entity.js';
import { ChangeLog } from './changes/change-log.repository.js';
import { LineMarks } from './line/line-mark.repository.js';
import { QueueSignals } from './queue-signals.js';

/** Triggers changed in one transaction. It bounds how long others wait for one of them. */
const AT_ONCE = 500;
/** Triggers read in one transaction, as the few of one webhook may stand among very many. */
const MAX_LOOKED_AT = 5000;

/** The triggers to cancel: those of a webhook, or of some of its events. */
export interface Unwanted {
  webhookId: string;
  eventIds?: string[];
}

/** A place in the queue's index. */
interface Place {
  dueAt: number;
  id: string;
}

interface QueueRow {
  id: string;
  next_attempt_at: number | string;
}

const START: Place = { dueAt: 0, id: '' };
const BEHIND = `status = 'PENDING' AND next_attempt_at >= ? AND (next_attempt_at > ? OR id > ?)`;
const placeOf = ({ dueAt, id }: Place) => [dueAt, dueAt, id];

/** A condition on the event of a trigger. */
interface Events {
  sql: string;
  parameters: unknown[];
}

/** Cancels the waiting triggers of webhooks and events that are off or gone. */
@Injectable()
export class CancellationRepository {
  private readonly table: string;
  private readonly cancelSql: string;
  /** Keeps a webhook or event that is off from being switched on meanwhile. */
  private readonly locked: string;

  constructor(
    private readonly database: Database,
    private readonly lines: LineMarks,
    private readonly changes: ChangeLog,
    private readonly signals: QueueSignals,
  ) {
    const mysql = database.dialect === 'mysql';
    // In this index waiting triggers stand together with their webhook's id, so no other row is read or locked.
    this.table = `webhook_trigger ${indexHint(database.dialect, 'webhook_trigger_due')}`;
    this.locked = mysql ? 'LOCK IN SHARE MODE' : '';
    this.cancelSql = updateFromRows(
      database.dialect,
      'webhook_trigger',
      { id: 'id', end_at: 'integer' },
      { status: `'CANCELLED'`, end_at: 'j.end_at', next_attempt_at: '0', lease: 't.lease + 1' },
      // Not "= 'PENDING'": SQLite would find those first, and scan all the rows for each of them.
      `t.id = j.id AND t.status NOT IN ('DELIVERING', 'SUCCEEDED', 'FAILED', 'CANCELLED')`,
    );
  }

  /**
   * Cancels the first 500 in the transaction that switches their webhook or event off, and the rest after its commit, if
   * need be in another process. None of them is sent meanwhile, as the webhook or event is off.
   */
  async cancelPending(manager: EntityManager, of: Unwanted, now: number): Promise<void> {
    if (of.eventIds?.length === 0) return;
    if (!this.database.isInTransaction(manager))
      return this.database.transaction((own) => this.cancelPending(own, of, now));
    const { webhookId } = of;
    if ((await this.cancelSome(manager, webhookId, this.those(of.eventIds), START, now)) === null) return;
    const reminder = 'REPLACE INTO webhook_cancellation (webhook_id, requested_at) VALUES (?, ?)';
    await this.database.query(reminder, [webhookId, now], manager);
    this.database.onCommit(manager, () => this.signals.emit('leftToCancel'));
  }

  /** The webhooks that still have triggers to cancel. */
  left(): Promise<CancellationEntity[]> {
    return this.database.run((manager) => manager.find(CancellationEntity));
  }

  /**
   * Cancels the next unwanted triggers after a place.
   *
   * @returns the place to continue after; null at the end.
   */
  cancelLeft(webhookId: string, behind: Place | null, now: number): Promise<Place | null> {
    return this.database.transaction(async (manager) => {
      const unwanted = await this.unwantedOf(manager, webhookId);
      return this.cancelSome(manager, webhookId, unwanted, behind ?? START, now);
    });
  }

  /** Removes a finished cancellation, unless it was requested again. */
  async done({ webhookId, requestedAt }: CancellationEntity): Promise<void> {
    await this.database.run((manager) => manager.delete(CancellationEntity, { webhookId, requestedAt }));
  }

  private async cancelSome(
    manager: EntityManager,
    webhookId: string,
    events: Events,
    behind: Place,
    now: number,
  ): Promise<Place | null> {
    const end = await this.endOf(manager, behind);
    const before = end ? 'AND (next_attempt_at < ? OR (next_attempt_at = ? AND id <= ?))' : '';
    const rows = await this.database.query<QueueRow[]>(
      `SELECT id, next_attempt_at FROM ${this.table} WHERE ${BEHIND} ${before}
         AND webhook_id = ? ${events.sql} ORDER BY next_attempt_at, id LIMIT ${AT_ONCE + 1}`,
      [...placeOf(behind), ...(end ? placeOf(end) : []), webhookId, ...events.parameters],
      manager,
    );
    const some = rows.slice(0, AT_ONCE);
    const last = some.at(-1);
    if (!last) return end;
    const ids = some.map(({ id }) => id);
    await this.database.query(this.cancelSql, [JSON.stringify(ids.map((id) => [id, now]))], manager);
    await this.noteOldest(manager, webhookId, ids);
    await this.lines.add(manager, ids);
    await this.changes.add(manager, ids);
    return rows.length > AT_ONCE ? { dueAt: Number(last.next_attempt_at), id: last.id } : end;
  }

  /**
   * Of a webhook that was disabled for failing, notes the oldest notification that this cancels, so that it can be recovered.
   * What had been sent again by hand, long after it was made, says nothing about since when it fails.
   */
  private async noteOldest(manager: EntityManager, webhookId: string, ids: string[]): Promise<void> {
    const cancelled = idList(this.database.dialect, ids);
    const oldest = `(SELECT MIN(notification_id) FROM webhook_trigger WHERE id IN ${cancelled.sql} AND schedule_offset = 0)`;
    await this.database.query(
      `UPDATE webhook SET recover_from = ${oldest} WHERE id = ? AND enabled = 0 AND recover_from > ${oldest}`,
      [cancelled.parameter, webhookId, cancelled.parameter],
      manager,
    );
  }

  /** The last place that one transaction may read up to; null if it may read to the end. */
  private async endOf(manager: EntityManager, behind: Place): Promise<Place | null> {
    const [row] = await this.database.query<QueueRow[]>(
      `SELECT id, next_attempt_at FROM ${this.table} WHERE ${BEHIND}
       ORDER BY next_attempt_at, id LIMIT 1 OFFSET ${MAX_LOOKED_AT}`,
      placeOf(behind),
      manager,
    );
    return row ? { dueAt: Number(row.next_attempt_at), id: row.id } : null;
  }

  /** Locks webhook and events in the same order as settling does. */
  private async unwantedOf(manager: EntityManager, webhookId: string): Promise<Events> {
    const [webhook] = await this.database.query<unknown[]>(
      `SELECT id FROM webhook WHERE id = ? AND enabled = 1 ${this.locked}`,
      [webhookId],
      manager,
    );
    if (!webhook) return this.those(undefined);
    const on = await this.database.query<{ id: string }[]>(
      `SELECT id FROM webhook_event WHERE webhook_id = ? AND enabled = 1 ${this.locked}`,
      [webhookId],
      manager,
    );
    // A test has no event and is wanted as long as its webhook is.
    return this.those(
      on.map(({ id }) => id),
      'event_id IS NOT NULL AND event_id NOT IN',
    );
  }

  private those(eventIds: string[] | undefined, comparison = 'event_id IN'): Events {
    if (eventIds === undefined) return { sql: '', parameters: [] };
    // MySQL does not accept an empty list.
    const ids = idList(this.database.dialect, eventIds.length > 0 ? eventIds : ['']);
    return { sql: `AND ${comparison} ${ids.sql}`, parameters: [ids.parameter] };
  }
}
