import type { WebhookEventKindDto } from 'webhook-notification-service-client';
import { to } from '../../data/place.js';
import { useAllWebhooks } from '../../domain/all-webhooks.js';
import { useKinds } from '../../domain/kinds.js';
import { useAddress } from '../../parts/address.js';
import { SearchField } from '../../parts/form/search-field.js';
import { Page } from '../../parts/page.js';
import type { Column } from '../../parts/table/columns.js';
import { Table } from '../../parts/table/table.js';
import { copy } from '../../parts/text/copy.js';
import { Empty } from '../../parts/text/empty.js';
import { count } from '../../parts/text/format.js';

/** What webhooks can be told of. */
export default function Kinds() {
  const { values, set } = useAddress('q');
  const kinds = useKinds();
  const webhooks = useAllWebhooks();
  const subscribers = (kind: string) =>
    webhooks.rows?.filter(({ events }) => events.some((event) => event.kind === kind && event.enabled))
      .length;
  const columns: Column<WebhookEventKindDto>[] = [
    { key: 'kind', header: 'Kind', cell: ({ kind }) => <code>{kind}</code>, sortBy: ({ kind }) => kind },
    { key: 'description', header: 'Told when', cell: ({ description }) => description, from: 'middle' },
    {
      key: 'subscribers',
      header: 'Subscribed',
      cell: ({ kind }) =>
        webhooks.rows ? count(subscribers(kind) ?? 0) + (webhooks.hasMore ? '+' : '') : '…',
      sortBy: ({ kind }) => subscribers(kind) ?? null,
      descendingFirst: true,
      number: true,
      tight: true,
    },
  ];
  const wanted = values.q.toLowerCase();
  return (
    <Page title="Kinds of event" lead="What webhooks can be told of, and what is sent then.">
      <div class="toolbar">
        <SearchField label="Search kinds" value={values.q} onChange={(q) => set({ q })} />
      </div>
      <Table
        label="Kinds of event"
        noun="kind"
        list={kinds}
        rows={kinds.rows?.filter(({ kind, description }) =>
          `${kind} ${description}`.toLowerCase().includes(wanted),
        )}
        columns={columns}
        rowKey={({ kind }) => kind}
        href={({ kind }) => to(`/kinds/${kind}`)}
        keys={[{ key: 'c', does: 'Copy the kind', run: ({ kind }) => copy(kind, 'Kind copied') }]}
        empty={<Empty title="No kind is like that" />}
      />
    </Page>
  );
}
