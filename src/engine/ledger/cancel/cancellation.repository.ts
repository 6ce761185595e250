import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../store/database.js';
import { CancellationEntity } from '../../../store/tables/webhook/cancellation.entity.js';
import { Ledger } from '../ledger.repository.js';
import { keyOf, QUEUE_START, type QueueKey, type QueueRow } from '../queue-order.js';
import { QueueParts } from '../queue-parts.repository.js';

/** Triggers read in one transaction, as the few of one webhook may stand among very many. */
const MAX_SCANNED = 5000;

/** The triggers to cancel: those of a webhook, or of some of its events. */
export interface Unwanted {
  webhookId: string;
  eventIds?: string[];
}

/** A condition on the event of a trigger. */
interface Events {
  sql: string;
  parameters: unknown[];
}

/** Cancels the waiting triggers of webhooks and events that are off or gone. */
@Injectable()
export class CancellationRepository {
  /** Triggers changed in one transaction. It bounds how long others wait for one of them. */
  protected readonly atOnce: number = 500;
  private readonly queue: QueueParts;
  /** Keeps an event that is off from being switched on meanwhile. */
  private readonly shared: string;
  private readonly locked: string;

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {
    this.queue = new QueueParts(database);
    this.shared = database.sql.forShare;
    this.locked = database.sql.forUpdate;
  }

  /**
   * Cancels the first 500, and stores that the rest is left to cancel.
   *
   * @returns whether there may be a rest.
   */
  async cancelFirst(manager: EntityManager, of: Unwanted, now: number): Promise<boolean> {
    const { webhookId } = of;
    if ((await this.cancelSome(manager, webhookId, this.those(of.eventIds), QUEUE_START, now)) === null)
      return false;
    const reminder = `INSERT INTO webhook_cancellation (webhook_id, requested_at) VALUES (?, ?)
      ${this.database.sql.onDuplicate} requested_at = ?`;
    await this.database.query(reminder, [webhookId, now, now], manager);
    return true;
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
  cancelLeft(webhookId: string, behind: QueueKey | null, now: number): Promise<QueueKey | null> {
    return this.database.transaction(async (manager) => {
      const unwanted = await this.unwantedOf(manager, webhookId);
      return this.cancelSome(manager, webhookId, unwanted, behind ?? QUEUE_START, now);
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
    behind: QueueKey,
    now: number,
  ): Promise<QueueKey | null> {
    const { where, end } = await this.queue.next(behind, MAX_SCANNED, manager);
    const rows = await this.database.query<QueueRow[]>(
      `SELECT id, next_attempt_at FROM ${this.queue.table} WHERE ${where.sql}
         AND webhook_id = ? ${events.sql} ORDER BY next_attempt_at, id LIMIT ${this.atOnce + 1}`,
      [...where.parameters, webhookId, ...events.parameters],
      manager,
    );
    const some = rows.slice(0, this.atOnce);
    const last = some.at(-1);
    if (!last) return end;
    const ids = some.map(({ id }) => id);
    await this.ledger.apply(manager, 'cancel', { ids, webhookIds: [webhookId] }, now);
    return rows.length > this.atOnce ? keyOf(last) : end;
  }

  /** Locks webhook and events in the same order as settling does. */
  private async unwantedOf(manager: EntityManager, webhookId: string): Promise<Events> {
    // Not in share mode: its row is written below, and who waits for it in between would wait for ever.
    const [webhook] = await this.database.query<{ enabled: number | boolean }[]>(
      `SELECT enabled FROM webhook WHERE id = ? ${this.locked}`,
      [webhookId],
      manager,
    );
    if (!webhook?.enabled) return this.those(undefined);
    const on = await this.database.query<{ id: string }[]>(
      `SELECT id FROM webhook_event WHERE webhook_id = ? AND enabled = 1 ${this.shared}`,
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
    const ids = this.database.sql.idList(eventIds.length > 0 ? eventIds : ['']);
    return { sql: `AND ${comparison} ${ids.sql}`, parameters: [ids.parameter] };
  }
}
