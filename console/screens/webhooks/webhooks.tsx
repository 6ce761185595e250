import { useComputed } from '@preact/signals';
import type { WebhookDto } from 'webhook-notification-service-client';
import { useList } from '../../data/list.js';
import { to } from '../../data/place.js';
import { may, ofWhom } from '../../data/who.js';
import { useKinds } from '../../domain/kinds.js';
import { useSendTest } from '../../domain/send-test.js';
import { useAddress, useGo } from '../../parts/address.js';
import { ButtonLink } from '../../parts/button.js';
import { useCommands } from '../../parts/commands.js';
import { Filter } from '../../parts/form/filter.js';
import { SearchField } from '../../parts/form/search-field.js';
import { useKeys } from '../../parts/keyboard.js';
import { Page } from '../../parts/page.js';
import type { Order } from '../../parts/table/columns.js';
import type { RowKey } from '../../parts/table/row-keys.js';
import { Table } from '../../parts/table/table.js';
import { copy } from '../../parts/text/copy.js';
import { Empty } from '../../parts/text/empty.js';
import { columnsFor, needsFigures } from './columns.js';

const STATES = [
  ['', 'Any state'],
  ['true', 'On'],
  ['false', 'Off'],
] as const;

/** All webhooks, and how they have been doing. */
export default function Webhooks() {
  const { values, set } = useAddress('q', 'enabled', 'kind', 'order');
  const go = useGo();
  const kinds = useKinds();
  const test = useSendTest();
  const list = useList(
    '/v1/webhook/list',
    {
      ...ofWhom(),
      ...(values.enabled && { enabled: values.enabled as 'true' | 'false' }),
      ...(values.kind && { event_kind: values.kind }),
    },
    { pageSize: 100, everyMs: 15_000 },
  );
  const order = orderOf(values.order);
  const columns = useComputed(() => columnsFor(needsFigures(order?.key))).value;
  const create = () => go('/webhooks/new');
  useKeys(may('webhooks:write') ? [{ key: 'n', does: 'New webhook', run: create }] : []);
  useCommands(may('webhooks:write') ? [{ label: 'New webhook', icon: 'plus', run: create }] : []);
  const keys: RowKey<WebhookDto>[] = [
    { key: 'c', does: 'Copy the address', run: ({ url }) => copy(url, 'Address copied') },
    ...(may('webhooks:write')
      ? [{ key: 't', does: 'Send a test', run: ({ id }: WebhookDto) => void test.run(id) }]
      : []),
  ];
  const isFiltered = values.q + values.enabled + values.kind !== '';
  return (
    <Page
      title="Webhooks"
      actions={
        may('webhooks:write') && (
          <ButtonLink href={to('/webhooks/new')} look="primary" icon="plus">
            New webhook
          </ButtonLink>
        )
      }
    >
      <div class="toolbar">
        <SearchField label="Search webhooks" value={values.q} onChange={(q) => set({ q })} />
        <Filter
          label="State"
          value={values.enabled}
          choices={STATES}
          onChange={(enabled) => set({ enabled })}
        />
        <Filter
          label="Kind of event"
          value={values.kind}
          choices={[['', 'Any kind'], ...(kinds.rows ?? []).map(({ kind }) => [kind, kind] as const)]}
          onChange={(kind) => set({ kind })}
        />
      </div>
      <Table
        label="Webhooks"
        noun="webhook"
        list={list}
        rows={list.rows?.filter((webhook) => matches(webhook, values.q))}
        columns={columns}
        rowKey={({ id }) => id}
        href={({ id }) => to(`/webhooks/${id}`)}
        keys={keys}
        order={order}
        onOrder={({ key, descending }) => set({ order: (descending ? '-' : '') + key })}
        empty={isFiltered ? <NoneFound onClear={() => set({ q: '', enabled: '', kind: '' })} /> : <NoneYet />}
      />
    </Page>
  );
}

const orderOf = (text: string): Order | null =>
  text === '' ? null : { key: text.replace(/^-/, ''), descending: text.startsWith('-') };

function matches({ name, url, uid, id, description, user_id, events }: WebhookDto, search: string): boolean {
  const text = [name, url, uid, id, description, user_id, ...events.map(({ kind }) => kind)]
    .join(' ')
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const NoneFound = ({ onClear }: { onClear: () => void }) => (
  <Empty title="No webhook is like that">
    <button type="button" class="button" onClick={onClear}>
      Show all
    </button>
  </Empty>
);

const NoneYet = () => (
  <Empty title="No webhook yet">
    <p>A webhook is an address of yours that is told what happens: a record is finished, a status changes.</p>
    {may('webhooks:write') && (
      <ButtonLink href={to('/webhooks/new')} look="primary" icon="plus">
        Create the first one
      </ButtonLink>
    )}
  </Empty>
);
