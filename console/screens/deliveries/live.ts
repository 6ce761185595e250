import type { WebhookTriggerDto } from 'webhook-notification-service-client';
import { madeAt } from '../../domain/made-at.js';

/** What a stream brings is put into the list while it is short; past this it waits until somebody asks for it. */
const ROWS_AT_MOST = 200;

/** What the list is filtered by, under the names of the API. */
export interface TriggerQuery {
  user_id?: string;
  webhook_id?: string;
  event_kind?: string;
  status?: WebhookTriggerDto['status'];
  notification_id?: string;
  since?: string;
  until?: string;
}

export function matches(trigger: WebhookTriggerDto, { since, until, ...same }: TriggerQuery): boolean {
  const at = madeAt(trigger.id);
  if ((since && at < since) || (until && at > until)) return false;
  return Object.entries(same).every(([name, value]) => trigger[name as keyof typeof same] === value);
}

/** The newest state of each. */
const byId = (triggers: readonly WebhookTriggerDto[]) =>
  new Map(triggers.map((trigger) => [trigger.id, trigger]));

/** Rows in their newest state; those that no longer match are gone. */
export function updated(
  rows: readonly WebhookTriggerDto[],
  items: readonly WebhookTriggerDto[],
  query: TriggerQuery,
): readonly WebhookTriggerDto[] {
  const newest = byId(items);
  if (!rows.some(({ id }) => newest.has(id))) return rows;
  return rows.map((row) => newest.get(row.id) ?? row).filter((row) => matches(row, query));
}

/** Of what came, what belongs among the rows and is not there yet. @param isWhole there are no further rows below. */
export function arrived(
  rows: readonly WebhookTriggerDto[],
  items: readonly WebhookTriggerDto[],
  query: TriggerQuery,
  isWhole: boolean,
): WebhookTriggerDto[] {
  const known = new Set(rows.map(({ id }) => id));
  const oldest = rows.at(-1)?.id ?? '';
  return [...byId(items).values()].filter(
    (item) => !known.has(item.id) && (isWhole || item.id > oldest) && matches(item, query),
  );
}

export const hasRoom = (rows: readonly unknown[], fresh: readonly unknown[]): boolean =>
  rows.length + fresh.length <= ROWS_AT_MOST;

/** Newest first, as the service lists them. */
export const withArrived = (
  rows: readonly WebhookTriggerDto[],
  fresh: readonly WebhookTriggerDto[],
): readonly WebhookTriggerDto[] => [...fresh, ...rows].toSorted((a, b) => (a.id < b.id ? 1 : -1));
