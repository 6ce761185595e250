import type { WebhookDto } from 'webhook-notification-service-client';
import { isAdmin, whose } from '../../data/who.js';
import { stateOf, WebhookState } from '../../domain/webhook-state.js';
import { Tag } from '../../parts/badge.js';
import { Sparkline } from '../../parts/chart/sparkline.js';
import type { Column } from '../../parts/table/columns.js';
import { milliseconds } from '../../parts/text/format.js';
import { Time } from '../../parts/text/time.js';
import { figures, SuccessRate } from './figures.js';

/** More are said by their number. */
const KINDS_SHOWN = 2;

const FIGURES = ['success', 'p95', 'last'];

/** Whether an order by this column needs the figures of all rows, not only of those in view. */
export const needsFigures = (key: string | undefined): boolean => key !== undefined && FIGURES.includes(key);

/** @param always loads the figures of every row. */
export function columnsFor(always: boolean): Column<WebhookDto>[] {
  const isEverybodys = isAdmin.value && whose.value === null;
  return [
    { key: 'name', header: 'Webhook', cell: Name, sortBy: ({ name }) => name },
    ...(isEverybodys
      ? [
          {
            key: 'user',
            header: 'User',
            cell: ({ user_id }: WebhookDto) => user_id,
            sortBy: ({ user_id }: WebhookDto) => user_id,
            tight: true,
            from: 'wide' as const,
          },
        ]
      : []),
    { key: 'kinds', header: 'Kinds', cell: Kinds, sortBy: ({ events }) => events.length, from: 'wide' },
    {
      key: 'state',
      header: 'State',
      cell: (webhook) => <WebhookState webhook={webhook} />,
      sortBy: stateOf,
      tight: true,
    },
    { key: 'day', header: 'Last 24 hours', cell: ({ id }) => <Day id={id} />, tight: true, from: 'wide' },
    {
      key: 'success',
      header: 'Success',
      cell: ({ id }) => <SuccessRate id={id} always={always} />,
      sortBy: ({ id }) => rateOf(id),
      number: true,
      tight: true,
    },
    {
      key: 'p95',
      header: 'Time, p95',
      cell: ({ id }) => <P95 id={id} />,
      sortBy: ({ id }) => figures.value.get(id)?.total.p95_ms ?? null,
      descendingFirst: true,
      number: true,
      tight: true,
      from: 'middle',
    },
    {
      key: 'last',
      header: 'Last delivery',
      cell: ({ id }) => <Last id={id} />,
      sortBy: ({ id }) => figures.value.get(id)?.last ?? null,
      descendingFirst: true,
      number: true,
      tight: true,
      from: 'middle',
    },
  ];
}

const Name = ({ name, url }: WebhookDto) => (
  <>
    {name}
    <span class="sub">{url}</span>
  </>
);

function Kinds({ events }: WebhookDto) {
  const on = events.filter(({ enabled }) => enabled);
  if (on.length === 0) return <span class="muted">None</span>;
  return (
    <span class="tags">
      {on.slice(0, KINDS_SHOWN).map(({ id, kind }) => (
        <Tag key={id}>{kind}</Tag>
      ))}
      {on.length > KINDS_SHOWN && <Tag>{`+${on.length - KINDS_SHOWN}`}</Tag>}
    </span>
  );
}

function rateOf(id: string): number | null {
  const total = figures.value.get(id)?.total;
  return total && total.attempts > 0 ? total.succeeded / total.attempts : null;
}

function Day({ id }: { id: string }) {
  const steps = figures.value.get(id)?.steps;
  return steps ? (
    <Sparkline steps={steps} label="Attempts of the last 24 hours" />
  ) : (
    <span class="sparkline" />
  );
}

const P95 = ({ id }: { id: string }) => <>{milliseconds(figures.value.get(id)?.total.p95_ms)}</>;

const Last = ({ id }: { id: string }) => <Time at={figures.value.get(id)?.last} />;
