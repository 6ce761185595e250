import type { WebhookTriggerDto } from 'webhook-notification-service-client';
import { type List, useList } from '../../data/list.js';
import { ofWhom } from '../../data/who.js';

/** As many are looked at, the newest; that there are more is said. */
const LOOKED_AT = 500;
const EVERY_MS = 10_000;

export interface Backlog {
  waiting: readonly WebhookTriggerDto[];
  /** Whether there are more than were looked at. */
  isMore: boolean;
  /** Since when the one has been due that has been due longest, of those that were looked at; null if none is. */
  oldestDue: string | null;
}

/** What waits to be sent, also for its next attempt. */
export const useWaiting = (): List<WebhookTriggerDto> =>
  useList(
    '/v1/webhook/trigger/list',
    { ...ofWhom(), status: 'PENDING' },
    { pageSize: 100, upTo: LOOKED_AT, everyMs: EVERY_MS },
  );

/** Undefined until it is known what waits. */
export function backlogOf({ rows, hasMore }: List<WebhookTriggerDto>): Backlog | undefined {
  if (rows === undefined) return undefined;
  const now = Date.now();
  // Without a time it is blocked behind another trigger of its group.
  const due = rows.flatMap(({ next_attempt_at: at }) => (at ? Date.parse(at) : [])).filter((ms) => ms <= now);
  return {
    waiting: rows,
    isMore: hasMore,
    oldestDue: due.length === 0 ? null : new Date(Math.min(...due)).toISOString(),
  };
}

/** An id begins with the time of its making (UUID, version 7). */
const acceptedAt = ({ id }: Pick<WebhookTriggerDto, 'id'>): number =>
  Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** How many of those that wait were accepted in each step. */
export function waitingBy(
  steps: readonly { begin: string }[],
  stepMs: number,
  { waiting }: Backlog,
): number[] {
  const first = Date.parse(steps[0]?.begin ?? '');
  const counts = steps.map(() => 0);
  for (const trigger of waiting) {
    const index = Math.floor((acceptedAt(trigger) - first) / stepMs);
    if (counts[index] !== undefined) counts[index] += 1;
  }
  return counts;
}
