import { Injectable } from '@nestjs/common';
import type { Owner } from '../platform/access/owner.js';
import { timeOfId } from '../platform/ids/first-id.js';
import { notFound } from '../platform/problem.js';
import { Vault } from '../platform/secret/vault.js';
import { Cursors, type Page } from '../rest/cursor.js';
import { timeOf } from '../rest/input.js';
import { parseBody } from '../rest/validation.js';
import { decisionsOf } from './decisions.js';
import { type NotificationQuery, notificationListInput } from './dto/notification-query.js';
import {
  countName,
  dataOf,
  type Notification,
  type NotificationDetail,
  type NotificationRow,
  noTriggers,
  notificationOf,
} from './notification.js';
import { NotificationRepository } from './notification.repository.js';
import { NotificationSearch } from './notification-search.repository.js';

/** An id is made right after the time that is shown, so that the two may differ by a moment. */
const MOMENT_MS = 20;

/** What happened to each lifecycle event that was reported. */
@Injectable()
export class NotificationService {
  private readonly cursors: Cursors;

  constructor(
    private readonly notifications: NotificationRepository,
    private readonly search: NotificationSearch,
    vault: Vault,
  ) {
    this.cursors = new Cursors(vault, 'notification');
  }

  /** A notification with its record, and with what was decided about each webhook. @throws Problem 404 */
  async find(owner: Owner, id: string): Promise<NotificationDetail> {
    const row = await this.notifications.find(owner, id);
    if (!row) throw notFound('notification');
    const [triggers, skipped] = await Promise.all([
      this.notifications.triggers(id),
      this.notifications.skipped(row),
    ]);
    const webhookIds = new Set([
      ...triggers.map(({ webhookId }) => webhookId),
      ...Object.values(skipped).flat(),
    ]);
    const names = await this.notifications.names(row.userId, [...webhookIds]);
    const counts = noTriggers();
    for (const { status } of triggers) counts[countName(status)]++;
    const decisions = decisionsOf(triggers, skipped, names);
    return { ...notificationOf(row, counts), data: dataOf(row), decisions };
  }

  /**
   * Newest first, without their records.
   *
   * @throws Problem 400 naming every bad field; 400 `invalid_cursor`
   */
  async list(owner: Owner, query: NotificationQuery = {}): Promise<Page<Notification>> {
    const { limit, cursor, ...given } = parseBody(notificationListInput, query);
    const since = timeOf(given.since);
    const until = timeOf(given.until);
    const near = {
      since: since === undefined ? undefined : since - MOMENT_MS,
      until: until === undefined ? undefined : until + MOMENT_MS,
    };
    const page = { limit, after: this.cursors.read(cursor) };
    const found = await this.search.find(owner, { ...given, ...near }, page);
    const rows = (await this.notifications.rows(found.ids)).filter((row) => isWithin(row, since, until));
    const counts = await this.notifications.counts(rows.map(({ id }) => id));
    const data = rows
      .slice(0, counts.size)
      .map((row) => notificationOf(row, counts.get(row.id) ?? noTriggers()));
    const next = data.length < rows.length ? (data.at(-1)?.id ?? null) : found.next;
    return { data, nextCursor: next && this.cursors.write(next) };
  }
}

/** By the time that is shown, unless the clock was set meanwhile: then by that of the id, in whose order the list is. */
function isWithin({ id, triggeredAt }: NotificationRow, since = -Infinity, until = Infinity): boolean {
  const made = timeOfId(id);
  const at = Math.abs(made - triggeredAt) < MOMENT_MS ? triggeredAt : made;
  return at >= since && at <= until;
}
