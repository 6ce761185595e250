import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { WebhookAttemptCountsDto, WebhookStatisticsStepDto } from 'webhook-notification-service-client';
import { useQuery } from '../../data/query.js';
import { madeAt } from '../../domain/made-at.js';
import { share } from '../../parts/text/format.js';
import { useSeen } from '../../parts/visible.js';

/** How a webhook did in the last 24 hours. */
export interface Figures {
  steps: readonly WebhookStatisticsStepDto[];
  total: WebhookAttemptCountsDto;
  /** When its newest delivery began, or was made if it waits; null if there is none. */
  last: string | null;
}

/** By the webhook's id. They come one by one, as rows come into view. */
export const figures = signal<ReadonlyMap<string, Figures>>(new Map());

const HOUR_MS = 3_600_000;
const FRESH_MS = 60_000;

/** Begins with an hour, so that the same is asked for all through this one. */
const dayAgo = (): string =>
  new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 23 * HOUR_MS).toISOString();

/** The share of attempts that succeeded. This cell, which every width shows, loads the figures of its row. */
export function SuccessRate({ id, always }: { id: string; always: boolean }) {
  const [element, isSeen] = useSeen<HTMLSpanElement>();
  const isWanted = isSeen || always;
  const options = { background: true, freshMs: FRESH_MS, everyMs: FRESH_MS };
  const stats = useQuery(
    '/v1/webhook/stats',
    isWanted ? { id, since: dayAgo(), step: 'hour' } : null,
    options,
  ).data;
  const last = useQuery(
    '/v1/webhook/trigger/list',
    isWanted ? { webhook_id: id, limit: '1' } : null,
    options,
  ).data;
  useEffect(() => {
    if (!stats || !last) return;
    const newest = last.data[0];
    const at = newest ? (newest.begin ?? madeAt(newest.id)) : null;
    const row = { steps: stats.data, total: stats.total, last: at };
    figures.value = new Map(figures.peek()).set(id, row);
  }, [id, stats, last]);
  const total = stats?.total;
  return (
    <span ref={element} class={toneOf(total)}>
      {total ? share(total.succeeded, total.attempts) : '…'}
    </span>
  );
}

function toneOf(total: WebhookAttemptCountsDto | undefined): string {
  if (!total || total.attempts === 0) return 'muted';
  if (total.failed === 0) return '';
  return total.succeeded / total.attempts < 0.9 ? 'bad' : 'warn';
}
