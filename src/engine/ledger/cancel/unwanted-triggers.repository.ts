import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { writeJson } from '../../../platform/json/write-json.js';
import { Database } from '../../../store/database.js';
import type { ScriptStep } from '../../../store/sqlite/sqlite-session.js';
import { IS_FAILING, NONE, RecoverFrom } from '../../health/recover-from.repository.js';
import { Ledger } from '../ledger.repository.js';

/** A trigger that somebody has, and what it is sent for. */
export interface Sendable {
  id: string;
  webhookId: string;
  /** Null for a test. */
  eventId: string | null;
}

/** A trigger that has failed for good. */
export interface Missed extends Sendable {
  /** The notification that its webhook misses. */
  missed: string;
}

/** What {@link UnwantedTriggers.find} found. */
export interface Found {
  unwanted: Set<string>;
  /** The webhooks that miss what ends without a success. Their rows are locked. */
  failing: string[];
}

interface WebhookRow {
  id: string;
  enabled: number | boolean;
  is_failing: number | boolean;
}

interface Condition {
  sql: string;
  parameters: unknown[];
}

const ANY: Condition = { sql: '', parameters: [] };

/** Nobody else can run between the steps of a script, so it is examined where it is written. */
const IS_UNWANTED = `NOT (
    EXISTS (SELECT 1 FROM webhook WHERE id = t.webhook_id AND enabled = 1) AND
    (event_id IS NULL OR EXISTS (SELECT 1 FROM webhook_event WHERE id = t.event_id AND enabled = 1)))`;

/**
 * Cancels triggers that were with some process when their webhook or event was switched off, where the transaction that
 * cancelled the others did not see them: whoever puts them back into the queue asks here, in the same transaction.
 */
@Injectable()
export class UnwantedTriggers {
  /** Otherwise MySQL scans a small table, and waits for rows that others have locked. */
  private readonly byKey: string;
  private readonly shared: string;
  private readonly locked: string;
  private readonly hasOlder: string;

  constructor(
    private readonly database: Database,
    private readonly recoverFrom: RecoverFrom,
    private readonly ledger: Ledger,
  ) {
    this.byKey = database.sql.byIndex('PRIMARY');
    this.shared = database.sql.forShare;
    this.locked = database.sql.forUpdate;
    const oldest = database.sql.materialisedRows({ webhook_id: 'id', notification_id: 'id' });
    this.hasOlder = `AND NOT (${IS_FAILING} AND EXISTS (SELECT 1 FROM ${oldest} AS f
      WHERE f.webhook_id = webhook.id AND f.notification_id < COALESCE(recover_from, '${NONE}')))`;
  }

  /**
   * Finds which of these triggers have a webhook or event that is off or gone. Locks webhooks and then events, so that no such change
   * is under way; to be called before a trigger is locked, as everybody does who switches something off.
   *
   * @param failed triggers that fail for good in this transaction.
   */
  async find(manager: EntityManager, waiting: Sendable[], failed: Missed[] = []): Promise<Found> {
    const ids = [...new Set([...waiting, ...failed].map(({ webhookId }) => webhookId))];
    // Who shares a lock cannot write the row: two such would wait for each other.
    const on = new Set(await this.enabled(manager, 'webhook', ids, this.hasMissedOlder(failed)));
    const others = await this.lockWebhooks(
      manager,
      ids.filter((id) => !on.has(id)),
    );
    for (const { id, enabled } of others) if (enabled) on.add(id);
    const eventIds = waiting.flatMap(({ eventId }) => eventId ?? []);
    const events = new Set(await this.enabled(manager, 'webhook_event', [...new Set(eventIds)]));
    const isWanted = ({ webhookId, eventId }: Sendable) =>
      on.has(webhookId) && (eventId === null || events.has(eventId));
    return {
      unwanted: new Set(waiting.flatMap((trigger) => (isWanted(trigger) ? [] : trigger.id))),
      failing: others.flatMap(({ id, is_failing }) => (is_failing ? id : [])),
    };
  }

  /**
   * Cancels the found triggers that are `PENDING` still: another process may have leased some. The caller has recorded the effects,
   * as it put the triggers back.
   *
   * @param failed triggers that have failed for good in this transaction.
   */
  async cancel(
    manager: EntityManager,
    { unwanted, failing }: Found,
    at: number,
    failed: Missed[] = [],
  ): Promise<void> {
    const ids = [...unwanted];
    if (ids.length > 0) {
      const { sql, parameters } = this.ledger.step('cancel', { ids }, at);
      await this.database.query(sql, parameters, manager);
    }
    if (failing.length > 0)
      await this.recoverFrom.lower(manager, failing, [...ids, ...failed.map(({ id }) => id)]);
  }

  /** The same as steps of a script of SQLite, where nobody else can run in between. */
  steps(waiting: Sendable[], failed: Missed[], at: number): ScriptStep[] {
    const all = [...waiting, ...failed];
    if (all.length === 0) return [];
    const ids = waiting.map(({ id }) => id);
    const lower = this.recoverFrom.statement(
      [...new Set(all.map(({ webhookId }) => webhookId))],
      all.map(({ id }) => id),
    );
    return [
      ...(ids.length > 0 ? [this.ledger.step('cancel', { ids, condition: IS_UNWANTED }, at)] : []),
      { ...lower, ifChanged: failed.length === 0 },
    ];
  }

  /** The condition on a webhook that nothing of it has to be written if these fail, as with nearly all that fails. */
  private hasMissedOlder(failed: Missed[]): Condition {
    if (failed.length === 0) return ANY;
    const oldest = new Map<string, string>();
    for (const { webhookId, missed } of failed)
      if (missed < (oldest.get(webhookId) ?? NONE)) oldest.set(webhookId, missed);
    return { sql: this.hasOlder, parameters: [writeJson([...oldest])] };
  }

  private async enabled(
    manager: EntityManager,
    table: string,
    ids: string[],
    condition = ANY,
  ): Promise<string[]> {
    if (ids.length === 0) return [];
    const list = this.database.sql.idList(ids);
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM ${table} ${this.byKey} WHERE id IN ${list.sql} AND enabled = 1 ${condition.sql} ${this.shared}`,
      [list.parameter, ...condition.parameters],
      manager,
    );
    return rows.map(({ id }) => id);
  }

  private async lockWebhooks(manager: EntityManager, ids: string[]): Promise<WebhookRow[]> {
    if (ids.length === 0) return [];
    const list = this.database.sql.idList(ids);
    return this.database.query(
      `SELECT id, enabled, ${IS_FAILING} AS is_failing
       FROM webhook ${this.byKey} WHERE id IN ${list.sql} ${this.locked}`,
      [list.parameter],
      manager,
    );
  }
}
