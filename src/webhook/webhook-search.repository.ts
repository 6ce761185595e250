import { Injectable } from '@nestjs/common';
import { checkedOwner, type Owner } from '../platform/access/owner.js';
import { type Condition, idRange } from '../platform/ids/id-range.js';
import type { PageRequest } from '../rest/cursor.js';
import { type FoundIds, searchIds } from '../store/bounded-search.js';
import { Database } from '../store/database.js';

/** Each field narrows the list. */
export interface WebhookFilter {
  userId?: string | undefined;
  enabled?: boolean | undefined;
  name?: string | undefined;
  /** Has an event of this kind. */
  eventKind?: string | undefined;
}

/** Finds webhooks without reading more than a few thousand rows, however many there are. */
@Injectable()
export class WebhookSearch {
  /** Most rows that one search may read. Rare webhooks are found over several pages rather than in one slow one. */
  maxScanned = 5000;

  constructor(private readonly database: Database) {}

  /** May find fewer than requested, even none, although more follow. */
  async find(owner: Owner, filter: WebhookFilter, { limit, after }: PageRequest): Promise<FoundIds> {
    const userId = checkedOwner(owner) ?? filter.userId;
    if (userId !== undefined) checkedOwner(userId);
    if (filter.userId !== undefined && filter.userId !== userId) return { ids: [], next: null };
    const index = userId === undefined ? 'PRIMARY' : 'webhook_user';
    const found: Condition[] = userId === undefined ? [] : [['user_id = ?', userId]];
    const sought = soughtBy(filter);
    const range = idRange({}, after);
    return searchIds(this.database, {
      ...{ table: 'webhook', index, found, sought, range, limit },
      maxScanned: this.maxScanned,
    });
  }
}

/** What no index has in the order of the ids. */
function soughtBy({ enabled, name, eventKind }: WebhookFilter): Condition[] {
  const sought: Condition[] = [];
  if (enabled !== undefined) sought.push(['enabled = ?', enabled ? 1 : 0]);
  // MySQL ignores trailing blanks when it compares.
  if (name !== undefined)
    sought.push(['name = ?', name], ['OCTET_LENGTH(name) = ?', Buffer.byteLength(name)]);
  if (eventKind !== undefined)
    sought.push([
      'EXISTS (SELECT 1 FROM webhook_event AS event WHERE event.webhook_id = webhook.id AND event.kind = ?)',
      eventKind,
    ]);
  return sought;
}
