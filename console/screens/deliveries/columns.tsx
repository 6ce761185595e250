import type { WebhookTriggerDto } from 'webhook-notification-service-client';
import { madeAt } from '../../domain/made-at.js';
import { NextAttempt } from '../../domain/next-attempt.js';
import { TriggerStatus } from '../../domain/trigger-status.js';
import { userColumn } from '../../domain/user-column.js';
import type { Column } from '../../parts/table/columns.js';
import { count, milliseconds } from '../../parts/text/format.js';
import { Time } from '../../parts/text/time.js';

export function columnsFor(nameOf: (webhookId: string) => string): Column<WebhookTriggerDto>[] {
  const columns: (Column<WebhookTriggerDto> | false)[] = [
    {
      key: 'kind',
      header: 'Delivery',
      cell: ({ event_kind, webhook_id }) => (
        <>
          <code>{event_kind}</code>
          <span class="sub">to {nameOf(webhook_id)}</span>
        </>
      ),
    },
    userColumn(),
    { key: 'status', header: 'Status', cell: ({ status }) => <TriggerStatus status={status} />, tight: true },
    { key: 'answer', header: 'Answer', cell: AnswerCell, from: 'middle' },
    {
      key: 'attempts',
      header: 'Attempts',
      cell: ({ attempt_count }) => count(attempt_count),
      number: true,
      tight: true,
      from: 'wide',
    },
    {
      key: 'next',
      header: 'Next attempt',
      cell: (trigger) => <NextAttempt {...trigger} />,
      tight: true,
      from: 'middle',
    },
    {
      key: 'at',
      header: 'Triggered',
      cell: ({ id }) => <Time at={madeAt(id)} />,
      number: true,
      tight: true,
      from: 'middle',
    },
  ];
  return columns.filter((column) => !!column);
}

function AnswerCell({ response_data, error, diagnosis, attempt_count }: WebhookTriggerDto) {
  const why = diagnosis?.summary ?? error?.message;
  const answer = response_data && `${response_data.status} in ${milliseconds(response_data.duration_ms)}`;
  if (!why && !answer) return <span class="muted">{attempt_count === 0 ? 'not tried yet' : '–'}</span>;
  return (
    <>
      {answer ?? error?.code}
      {why && <span class="sub">{why}</span>}
    </>
  );
}
