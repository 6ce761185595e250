import type { WebhookDto } from 'webhook-notification-service-client';
import { useList } from '../../data/list.js';
import { Bones } from '../../parts/text/empty.js';
import { count, counted } from '../../parts/text/format.js';

/** What waits to be sent to a webhook; undefined until it is known. */
export interface Pending {
  total: number;
  isMore: boolean;
  byKind: readonly (readonly [kind: string, count: number])[];
}

export function usePending(webhookId: string): Pending | undefined {
  const { rows, hasMore } = useList(
    '/v1/webhook/trigger/list',
    { webhook_id: webhookId, status: 'PENDING' },
    { pageSize: 100, freshMs: 0 },
  );
  if (rows === undefined) return undefined;
  const kinds = new Map<string, number>();
  for (const { event_kind } of rows) kinds.set(event_kind, (kinds.get(event_kind) ?? 0) + 1);
  return {
    total: rows.length,
    isMore: hasMore,
    byKind: [...kinds].sort(([, a], [, b]) => b - a),
  };
}

/** Names what is not sent any more once a webhook is off. */
export function WhatIsCancelled({ webhook, pending }: { webhook: WebhookDto; pending: Pending | undefined }) {
  if (pending === undefined) return <Bones lines={2} />;
  if (pending.total === 0) return <p>Nothing waits to be sent to {webhook.name}.</p>;
  return (
    <>
      <p>
        {counted(pending.total, 'delivery', 'deliveries')}
        {pending.isMore && ' and more'} that {pending.total === 1 && !pending.isMore ? 'waits' : 'wait'} will
        be cancelled:
      </p>
      <ul class="plain-list">
        {pending.byKind.map(([kind, times]) => (
          <li key={kind}>
            {count(times)} <code>{kind}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
