import { Injectable } from '@nestjs/common';
import { checkedOwner, type Owner } from '../platform/access/owner.js';
import { type Condition, type IdRange, idRange, within } from '../platform/ids/id-range.js';
import type { PageRequest } from '../rest/cursor.js';
import type { PageQuery } from '../rest/input.js';
import type { FoundIds } from '../store/bounded-search.js';
import { Database } from '../store/database.js';
import type { TriggerQuery } from './dto/trigger-query.js';

/** Each field narrows the list. Times are of the trigger's creation, both ends included, in epoch milliseconds. */
export interface TriggerFilter extends Omit<TriggerQuery, keyof PageQuery | 'include' | 'since' | 'until'> {
  since?: number | undefined;
  until?: number | undefined;
}

/** One way to search: an index, the conditions it answers, and those to check in the rows it finds. */
interface SearchPlan {
  index: string;
  found: Condition[];
  sought: Condition[];
  /** Whether the index returns the newest rows first. */
  inOrder: boolean;
}

/** Finds triggers without reading more than a few thousand rows, however many there are. */
@Injectable()
export class TriggerSearch {
  /** Most rows that one search may read. Rare triggers are found over several pages rather than in one slow one. */
  maxScanned = 5000;

  constructor(private readonly database: Database) {}

  /** May find fewer than requested, even none, although more follow. */
  async find(owner: Owner, filter: TriggerFilter, { limit, after }: PageRequest): Promise<FoundIds> {
    const userId = checkedOwner(owner) ?? filter.userId;
    if (userId !== undefined) checkedOwner(userId);
    if (filter.userId !== undefined && filter.userId !== userId) return { ids: [], next: null };
    const range = idRange(filter, after);
    let furthest: FoundIds | null = null;
    for (const plan of plansOf({ ...filter, userId, webhookId: await this.webhookOf(filter) })) {
      const end = isOneRange(plan) ? null : await this.endOf(plan, range);
      if (end !== null && !plan.inOrder) continue;
      const ids = await this.ids(plan, end === null ? range : { ...range, from: end }, limit + 1);
      if (ids.length > limit) return { ids: ids.slice(0, limit), next: ids[limit - 1] ?? null };
      if (end === null) return { ids, next: null };
      if (!furthest?.next || end < furthest.next) furthest = { ids, next: end };
    }
    return furthest ?? { ids: [], next: null };
  }

  /** An event's triggers are among those of its webhook. For a deleted event the webhook is not known. */
  private async webhookOf({ webhookId, eventId }: TriggerFilter): Promise<string | undefined> {
    if (webhookId !== undefined || eventId === undefined) return webhookId;
    const [event] = await this.database.query<{ webhook_id: string }[]>(
      'SELECT webhook_id FROM webhook_event WHERE id = ?',
      [eventId],
    );
    return event?.webhook_id;
  }

  /** The last trigger that may be read; null if there are not that many. */
  private async endOf(plan: SearchPlan, range: IdRange): Promise<string | null> {
    const rows = plan.inOrder
      ? this.select(
          plan,
          [...plan.found, ...within(range)],
          `ORDER BY id DESC LIMIT 1 OFFSET ${this.maxScanned}`,
        )
      : this.select(plan, plan.found, `LIMIT 1 OFFSET ${this.maxScanned}`);
    const [row] = await rows;
    return row?.id ?? null;
  }

  private async ids(plan: SearchPlan, range: IdRange, limit: number): Promise<string[]> {
    const rows = await this.select(
      plan,
      [...plan.found, ...plan.sought, ...within(range)],
      `ORDER BY id DESC LIMIT ${limit}`,
    );
    return rows.map(({ id }) => id);
  }

  /** Names the index: the optimiser might choose another one, for which no end was computed. */
  private select(plan: SearchPlan, conditions: Condition[], tail: string): Promise<{ id: string }[]> {
    const where = conditions.length > 0 ? `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}` : '';
    return this.database.query(
      `SELECT id FROM webhook_trigger ${this.database.sql.byIndex(plan.index)} ${where} ${tail}`,
      conditions.map(([, parameter]) => parameter),
    );
  }
}

/** Whether its index holds just the rows of the page, one after the other. */
const isOneRange = ({ sought, inOrder }: SearchPlan) => sought.length === 0 && inOrder;

const is = (column: string, value: unknown): Condition => [`${column} = ?`, value];

/** The possible ways to search, the most promising first. */
function plansOf({
  notificationId,
  webhookId,
  userId,
  eventId,
  eventKind,
  status,
}: TriggerFilter): SearchPlan[] {
  const given = Object.entries({
    notification_id: notificationId,
    webhook_id: webhookId,
    user_id: userId,
    event_id: eventId,
    event_kind: eventKind,
    status,
  }).filter(([, value]) => value !== undefined);
  const by = (index: string, columns: string[], more: Partial<SearchPlan> = {}): SearchPlan => {
    const found = given.filter(([column]) => columns.includes(column));
    const sought = given.filter(([column]) => !columns.includes(column));
    return {
      index,
      found: [...found.map(([column, value]) => is(column, value)), ...(more.found ?? [])],
      sought: sought.map(([column, value]) => is(column, value)),
      inOrder: more.inOrder ?? true,
    };
  };
  const byPlace = SCOPES.find(([, column]) => given.some(([name]) => name === column));
  const inPlace = byPlace ? by(byPlace[0], [byPlace[1]]) : by('PRIMARY', []);
  if (status === undefined) return [inPlace];
  if (status === 'PENDING' || status === 'DELIVERING')
    return [by('webhook_trigger_due', ['status'], { inOrder: false }), inPlace];
  const inState = by('webhook_trigger_due', ['status'], { found: [is('next_attempt_at', 0)] });
  // Nearly all triggers are delivered, so a user's are found sooner among the user's than among the delivered.
  return status === 'SUCCEEDED' ? [inPlace, inState] : [inState, inPlace];
}

/** Indexes that end in the id, each with the column it begins with, the narrowest first. */
const SCOPES = [
  ['webhook_trigger_notification', 'notification_id'],
  ['webhook_trigger_webhook', 'webhook_id'],
  ['webhook_trigger_user', 'user_id'],
] as const;
