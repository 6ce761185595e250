import { storedFilter } from '../engine/filter/stored-filter.js';
import { newId } from '../platform/ids/ids.js';
import type { EventEntity } from '../store/tables/webhook/event.entity.js';
import type { EventInput } from './dto/event-body.js';

/** The changes that turn a webhook's events into a new list. */
export interface EventChanges {
  added: EventInput[];
  /** Events to switch on or off, or to give another filter, each in its state before and as it is wanted. */
  changed: { before: EventEntity; wanted: Pick<EventEntity, 'enabled' | 'filter' | 'filterHash'> }[];
  removed: EventEntity[];
}

export function eventChanges(before: EventEntity[], wanted: EventInput[]): EventChanges {
  const wantedByKind = new Map(
    wanted.map(({ kind, enabled, filter }) => [kind as string, { enabled, ...storedFilter(filter) }]),
  );
  const kinds = new Set(before.map(({ kind }) => kind));
  return {
    added: wanted.filter(({ kind }) => !kinds.has(kind)),
    changed: before.flatMap((event) => {
      const as = wantedByKind.get(event.kind);
      const isSame =
        !as ||
        (as.enabled === event.enabled && as.filter === event.filter && as.filterHash === event.filterHash);
      return isSame ? [] : [{ before: event, wanted: as }];
    }),
    removed: before.filter(({ kind }) => !wantedByKind.has(kind)),
  };
}

export function newEvent(
  webhook: { id: string; userId: string },
  { kind, enabled, filter }: EventInput,
  now: number,
): EventEntity {
  return {
    id: newId(),
    webhookId: webhook.id,
    userId: webhook.userId,
    kind,
    enabled,
    ...storedFilter(filter),
    createdAt: now,
  };
}
