import { newId } from '../common/ids.js';
import type { EventInput } from './dto/event-body.js';
import type { EventEntity } from './event.entity.js';

/** The changes that turn a webhook's events into a new list. */
export interface EventChanges {
  added: EventInput[];
  /** Events to switch on or off, in their state before the switch. */
  switched: EventEntity[];
  removed: EventEntity[];
}

export function eventChanges(before: EventEntity[], wanted: EventInput[]): EventChanges {
  const enabledByKind = new Map<string, boolean>(wanted.map(({ kind, enabled }) => [kind, enabled]));
  const kinds = new Set(before.map(({ kind }) => kind));
  return {
    added: wanted.filter(({ kind }) => !kinds.has(kind)),
    switched: before.filter(({ kind, enabled }) => enabledByKind.get(kind) === !enabled),
    removed: before.filter(({ kind }) => !enabledByKind.has(kind)),
  };
}

export function newEvent(
  webhook: { id: string; userId: string },
  { kind, enabled }: EventInput,
  now: number,
): EventEntity {
  return { id: newId(), webhookId: webhook.id, userId: webhook.userId, kind, enabled, createdAt: now };
}
