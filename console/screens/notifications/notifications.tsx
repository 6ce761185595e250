import { useSignal } from '@preact/signals';
import type { WebhookNotificationDto } from 'webhook-notification-service-client';
import { useList } from '../../data/list.js';
import { to } from '../../data/place.js';
import { may, ofWhom } from '../../data/who.js';
import { useKinds } from '../../domain/kinds.js';
import { usePeriod } from '../../domain/period.js';
import { TimeFilter } from '../../domain/time-filter.js';
import { userColumn } from '../../domain/user-column.js';
import { useAddress } from '../../parts/address.js';
import { Button } from '../../parts/button.js';
import { ExactField } from '../../parts/form/exact-field.js';
import { Filter } from '../../parts/form/filter.js';
import { Page } from '../../parts/page.js';
import type { Column } from '../../parts/table/columns.js';
import { Table } from '../../parts/table/table.js';
import { copy } from '../../parts/text/copy.js';
import { Empty } from '../../parts/text/empty.js';
import { Time } from '../../parts/text/time.js';
import { EraseDialog } from './erase-dialog.js';
import { Outcomes } from './outcomes.js';

const POLL_MS = 10_000;

/** What was reported, whether anybody was told of it or not. */
export default function Notifications() {
  const { values, set } = useAddress('record', 'kind', 'time', 'since', 'until');
  const isErasing = useSignal(false);
  const kinds = useKinds();
  const period = usePeriod(values.time, values.since, values.until);
  const list = useList(
    '/v1/notification/list',
    {
      ...ofWhom(),
      ...period,
      ...(values.record && { record_id: values.record }),
      ...(values.kind && { event_kind: values.kind }),
    },
    { everyMs: POLL_MS },
  );
  const isFiltered = Object.values(values).some(Boolean);
  const rows = list.rows ?? [];
  // An admin may see several users with a record of that name: he opens the one that is meant.
  const users = new Set(rows.map(({ user_id }) => user_id));
  const userId = users.size === 1 ? rows[0]?.user_id : undefined;
  const canErase = values.record && userId !== undefined && may('webhooks:write');
  return (
    <Page
      title="Notifications"
      lead="What was reported, and who was told of it or why not."
      actions={
        canErase && (
          <Button look="danger" icon="trash" onClick={() => (isErasing.value = true)}>
            Erase this record’s data
          </Button>
        )
      }
    >
      <div class="toolbar">
        <ExactField
          label="Record"
          placeholder="Id of a record…"
          value={values.record}
          onChange={(record) => set({ record })}
        />
        <Filter
          label="Kind of event"
          value={values.kind}
          choices={[['', 'Any kind'], ...(kinds.rows ?? []).map(({ kind }) => [kind, kind] as const)]}
          onChange={(kind) => set({ kind })}
        />
        <TimeFilter values={values} set={set} />
      </div>
      {values.record && users.size > 1 && may('webhooks:write') && (
        <p class="hint">Several users have a record of this id. To erase one, open a notification of it.</p>
      )}
      <Table
        label="Notifications"
        noun="notification"
        list={list}
        columns={columnsFor()}
        rowKey={({ id }) => id}
        href={({ id }) => to(`/notifications/${id}`)}
        keys={[{ key: 'c', does: 'Copy the id', run: ({ id }) => copy(id, 'Id copied') }]}
        empty={
          isFiltered ? (
            <Empty title="No notification is like that">
              <Button onClick={() => set({ record: '', kind: '', time: '', since: '', until: '' })}>
                Show all
              </Button>
            </Empty>
          ) : (
            <Empty title="Nothing was reported yet">
              <p>Every event that is reported is kept here, also where no webhook is subscribed to it.</p>
            </Empty>
          )
        }
      />
      {isErasing.value && userId !== undefined && (
        <EraseDialog recordId={values.record} userId={userId} onClose={() => (isErasing.value = false)} />
      )}
    </Page>
  );
}

function columnsFor(): Column<WebhookNotificationDto>[] {
  const columns: (Column<WebhookNotificationDto> | false)[] = [
    {
      key: 'kind',
      header: 'Notification',
      cell: ({ event_kind, record_id, erased_at }) => (
        <>
          <code>{event_kind}</code>
          <span class="sub">
            {record_id === null ? 'of no record' : `of ${record_id}`}
            {erased_at && ', erased'}
          </span>
        </>
      ),
    },
    userColumn(),
    { key: 'outcomes', header: 'What became of it', cell: Outcomes },
    {
      key: 'at',
      header: 'Reported',
      cell: ({ triggered_at }) => <Time at={triggered_at} />,
      number: true,
      tight: true,
      from: 'middle',
    },
  ];
  return columns.filter((column) => !!column);
}
