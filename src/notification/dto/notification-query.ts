import { z } from 'zod';
import { dateTime, kindName, paging, text, userId } from '../../rest/fields.js';
import { type PageQuery, queryLike } from '../../rest/input.js';

/** Which notifications to list. Each field narrows the list. */
export interface NotificationQuery extends PageQuery {
  /** To the webhooks of this user. */
  userId?: string | undefined;
  /** Their kind; `WEBHOOK_TEST` for tests without a kind. */
  eventKind?: string | undefined;
  /** About the record with this `id`, compared exactly. */
  recordId?: string | undefined;
  /** Triggered at this time or later. RFC 3339. */
  since?: string | undefined;
  /** Triggered at this time or earlier. RFC 3339. */
  until?: string | undefined;
}

export const notificationListQuery = z.strictObject({
  event_kind: kindName.optional(),
  /** Any text that a record may have as its id. */
  record_id: text(256).optional(),
  since: dateTime.optional(),
  until: dateTime.optional(),
  user_id: userId.optional(),
  ...paging,
});
export type NotificationListQuery = z.infer<typeof notificationListQuery>;
export const notificationListInput = queryLike(notificationListQuery);
