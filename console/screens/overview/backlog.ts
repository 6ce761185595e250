import { useEffect } from 'preact/hooks';
import type { WebhookTriggerDto } from '../../../src/client/index.js';
import { useList } from '../../data/list.js';
import { ofWhom } from '../../data/who.js';

/** As many are looked at; what lies behind them is said by a plus sign. */
const LOOKED_AT = 500;
const EVERY_MS = 10_000;

export interface Backlog {
  waiting: readonly WebhookTriggerDto[];
  /** Whether there are more than were looked at. */
  isMore: boolean;
  /** Since when the one has been due that has been due longest; null if none is. */
  oldestDue: string | null;
}

/** What waits to be sent, also for its next attempt. */
export function useBacklog(): Backlog | undefined {
  const list = useList(
    '/v1/webhook/trigger/list',
    { ...ofWhom(), status: 'PENDING' },
    {
      pageSize: 100,
      everyMs: EVERY_MS,
    },
  );
  const wantsMore =
    list.hasMore && !list.busy && !list.problem && (list.rows?.length ?? LOOKED_AT) < LOOKED_AT;
  useEffect(() => {
    if (wantsMore) list.more();
  }, [wantsMore]);
  if (list.rows === undefined) return undefined;
  const now = Date.now();
  const due = list.rows.map(dueAt).filter((ms) => ms <= now);
  return {
    waiting: list.rows,
    isMore: list.hasMore,
    oldestDue: due.length === 0 ? null : new Date(Math.min(...due)).toISOString(),
  };
}

/** Until it was tried once, it has been due since it was accepted. */
const dueAt = (trigger: WebhookTriggerDto): number =>
  trigger.next_attempt_at === null ? acceptedAt(trigger) : Date.parse(trigger.next_attempt_at);

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
