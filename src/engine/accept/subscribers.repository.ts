import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { writeJson } from '../../platform/json/write-json.js';
import { Database } from '../../store/database.js';
import type { JsonRowType } from '../../store/sql.js';
import type { Filterable } from '../filter/event-filters.service.js';
import { type OrderingRule, orderingRuleOf } from '../webhook/webhook-settings.js';
import { countOf, firstOf, LETTER_OF, type Skipped } from './skipped.js';

/** An enabled `webhook_event`: a webhook that gets a kind of event. */
export interface Subscription extends Filterable {
  webhookId: string;
  /** Null unless the webhook asks for an order. */
  orderingRule: OrderingRule | null;
}

/** What becomes of a user's webhooks when a kind of event is reported. */
export interface Subscribers {
  /** The subscriptions that get it, the oldest first. */
  subscriptions: Subscription[];
  /** The webhooks that do not get it, and why. */
  skipped: Skipped;
}

/** A user and a kind of event. */
export interface Asked {
  userId: string;
  eventKind: string;
}

/** A subscription or, with `event_id` null, all that is skipped: their number, a blank, and their entries; null if none is. */
interface Row {
  user_id: string;
  kind: string;
  event_id: string | null;
  webhook_id: string;
  filter_hash: string | null;
  settings: string | null;
  skipped: string | null;
}

const ASKED_COLUMNS: Record<string, JsonRowType> = { user_id: 'user', kind: 'word' };
/** More are not noted, so that a set is a few MiB at most. */
const MAX_SKIPPED = 50_000;
const NOBODY: Subscribers = { subscriptions: [], skipped: '' };

const GETS_IT = 'w.enabled = 1 AND event.enabled = 1';
const LETTER = `CASE WHEN w.enabled = 0 THEN '${LETTER_OF.webhook_disabled}'
  WHEN event.id IS NULL THEN '${LETTER_OF.not_subscribed}'
  WHEN event.enabled = 0 THEN '${LETTER_OF.event_disabled}' END`;

/** Finds who gets a notification and who does not. */
@Injectable()
export class SubscriberRepository {
  private readonly select: string;
  private readonly selectSkipped: string;

  constructor(private readonly database: Database) {
    const { sql } = database;
    const asked = `${sql.jsonRows(ASKED_COLUMNS)} AS asked`;
    // The order of the joins is fixed: the optimiser may otherwise read the webhooks of all users.
    const webhooks = `webhook AS w ${sql.byIndex('webhook_user')}`;
    const events = 'webhook_event AS event ON event.webhook_id = w.id AND event.kind = asked.kind';
    const entry = sql.concat('w.id', LETTER);
    // One row for all that are skipped: a row for each would cost this thread far more. Neither part groups, for which MariaDB
    // would make a table on its disk each time.
    const all = sql.concat(sql.concat('COUNT(*)', "' '"), sql.concatRows(entry, 'w.id'));
    this.select = `${sql.selectLongTexts}
        asked.user_id, asked.kind, event.id AS event_id, w.id AS webhook_id, event.filter_hash, w.settings, NULL AS skipped
      FROM ${asked} ${sql.thenJoin} ${webhooks} ON w.user_id = asked.user_id ${sql.thenJoin} ${events} WHERE ${GETS_IT}
      UNION ALL SELECT asked.user_id, asked.kind, NULL, NULL, NULL, NULL,
        (SELECT ${all} FROM ${webhooks} LEFT JOIN ${events} WHERE w.user_id = asked.user_id AND ${LETTER} IS NOT NULL)
      FROM ${asked}`;
    this.selectSkipped = `SELECT ${entry} AS entry
      FROM ${asked} ${sql.thenJoin} ${webhooks} ON w.user_id = asked.user_id LEFT JOIN ${events}
      WHERE ${LETTER} IS NOT NULL ORDER BY w.id LIMIT ${MAX_SKIPPED}`;
  }

  /** The subscribers of each user and kind, by {@link subscribersKey}. A user without webhooks has none. */
  async of(asked: Asked[], manager: EntityManager | null): Promise<(one: Asked) => Subscribers> {
    if (asked.length === 0) return () => NOBODY;
    const pairs = new Map(asked.map((one) => [subscribersKey(one), [one.userId, one.eventKind]]));
    const rows = await this.query<Row>(this.select, 2, [...pairs.values()], manager);
    const found = new Map<string, Subscribers>();
    for (const row of rows) {
      const key = subscribersKey({ userId: row.user_id, eventKind: row.kind });
      const subscribers = found.get(key) ?? { subscriptions: [], skipped: '' };
      if (row.event_id !== null)
        subscribers.subscriptions.push({
          webhookId: row.webhook_id,
          eventId: row.event_id,
          filterHash: row.filter_hash,
          orderingRule: orderingRuleOf(row.settings),
        });
      else subscribers.skipped = await this.skippedOf(row, manager);
      found.set(key, subscribers);
    }
    for (const { subscriptions } of found.values()) subscriptions.sort(byAge);
    return (one) => found.get(subscribersKey(one)) ?? NOBODY;
  }

  /** Reads them one by one if the database has cut them off. */
  private async skippedOf(row: Row, manager: EntityManager | null): Promise<Skipped> {
    if (row.skipped === null) return '';
    const countEnd = row.skipped.indexOf(' ');
    const skipped = row.skipped.slice(countEnd + 1);
    if (countOf(skipped) === Number(row.skipped.slice(0, countEnd))) return firstOf(skipped, MAX_SKIPPED);
    const pair = [row.user_id, row.kind];
    const rows = await this.query<{ entry: string }>(this.selectSkipped, 1, [pair], manager);
    return rows.map(({ entry }) => entry).join('');
  }

  /** @param times how often the statement takes the pairs. */
  private query<T>(
    sql: string,
    times: number,
    pairs: unknown[],
    manager: EntityManager | null,
  ): Promise<T[]> {
    const parameters = Array<string>(times).fill(writeJson(pairs));
    return this.database.query<T[]>(sql, parameters, manager ?? undefined);
  }
}

/** Ids are UUIDv7. */
const byAge = (one: Subscription, other: Subscription) => (one.eventId < other.eventId ? -1 : 1);

const subscribersKey = (of: Asked) => `${of.eventKind} ${of.userId}`;
