import { Injectable } from '@nestjs/common';
import { checkedOwner, type Owner } from '../platform/access/owner.js';
import { type Condition, idRange } from '../platform/ids/id-range.js';
import type { PageRequest } from '../rest/cursor.js';
import type { PageQuery } from '../rest/input.js';
import { type FoundIds, searchIds } from '../store/bounded-search.js';
import { Database } from '../store/database.js';
import type { NotificationQuery } from './dto/notification-query.js';

/** Each field narrows the list. Times are of the ids, both ends included, in epoch milliseconds. */
export interface NotificationFilter extends Omit<NotificationQuery, keyof PageQuery | 'since' | 'until'> {
  since?: number | undefined;
  until?: number | undefined;
}

/** The indexes that end in the id and the kind, each with the columns before these, the narrowest first. */
const INDEXES: [index: string, columns: string[]][] = [
  ['webhook_notification_record', ['user_id', 'record_id']],
  ['webhook_notification_user', ['user_id']],
  ['PRIMARY', []],
];

/** Finds notifications without reading more than a few thousand rows, however many there are. */
@Injectable()
export class NotificationSearch {
  /** Most rows that one search may read. Rare notifications are found over several pages rather than in one slow one. */
  maxScanned = 5000;

  constructor(private readonly database: Database) {}

  /** May find fewer than requested, even none, although more follow. */
  async find(owner: Owner, filter: NotificationFilter, { limit, after }: PageRequest): Promise<FoundIds> {
    const userId = checkedOwner(owner) ?? filter.userId;
    if (userId !== undefined) checkedOwner(userId);
    if (filter.userId !== undefined && filter.userId !== userId) return { ids: [], next: null };
    const given = Object.entries({
      user_id: userId,
      record_id: filter.recordId,
      event_kind: filter.eventKind,
    }).filter(([, value]) => value !== undefined);
    const [index, columns] = INDEXES.find(([, needed]) =>
      needed.every((column) => given.some(([name]) => name === column)),
    ) as (typeof INDEXES)[number];
    const equal = (those: typeof given): Condition[] =>
      those.map(([column, value]) => [`${column} = ?`, value]);
    const found = equal(given.filter(([name]) => columns.includes(name)));
    const sought = equal(given.filter(([name]) => !columns.includes(name)));
    const range = idRange(filter, after);
    return searchIds(this.database, {
      ...{ table: 'webhook_notification', index, found, sought, range, limit },
      maxScanned: this.maxScanned,
    });
  }
}
