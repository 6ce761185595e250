import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { WebhookTriggerDto } from 'webhook-notification-service-client';
import { to } from '../../data/place.js';
import { isAdmin, may, ofWhom, whose } from '../../data/who.js';
import { useKinds } from '../../domain/kinds.js';
import { type Period, usePeriod } from '../../domain/period.js';
import { useSendAgain } from '../../domain/send-again.js';
import { useWebhookNames } from '../../domain/webhook-names.js';
import { useAddress } from '../../parts/address.js';
import { Badge } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { Page } from '../../parts/page.js';
import type { RowKey } from '../../parts/table/row-keys.js';
import { Table } from '../../parts/table/table.js';
import { copy } from '../../parts/text/copy.js';
import { Empty } from '../../parts/text/empty.js';
import { count, counted } from '../../parts/text/format.js';
import { columnsFor } from './columns.js';
import { FILTERS, FilterBar, type Filters, NO_FILTER, STATUSES } from './filters.js';
import type { TriggerQuery } from './live.js';
import { useLiveTriggers } from './live-triggers.js';
import { useRecordTriggers } from './record-triggers.js';

/** From here on, what comes above would move what somebody reads. */
const SCROLLED_PX = 120;

/** What was sent to whom, as it happens. */
export default function Deliveries() {
  const { values, set } = useAddress(...FILTERS);
  const picked = useSignal<ReadonlySet<string>>(new Set());
  const kinds = useKinds();
  const webhooks = useWebhookNames();
  const query = queryOf(values, usePeriod(values.time, values.since, values.until));
  const live = useLiveTriggers(
    values.record ? null : query,
    () => picked.value.size > 0 || window.scrollY > SCROLLED_PX,
  );
  const ofRecord = useRecordTriggers(values.record || null, query);
  const again = useSendAgain(() => (picked.value = new Set()));
  const list = values.record ? ofRecord : live.list;
  const columns = useMemo(() => columnsFor(webhooks.nameOf), [webhooks, isAdmin.value, whose.value]);
  const keys: RowKey<WebhookTriggerDto>[] = [
    { key: 'c', does: 'Copy the id', run: ({ id }) => copy(id, 'Id copied') },
    ...(may('webhooks:write')
      ? [{ key: 'r', does: 'Send again', run: ({ id }: WebhookTriggerDto) => void again.run([id]) }]
      : []),
  ];
  const isFiltered = Object.values(values).some(Boolean);
  const isSelecting = may('webhooks:write');
  // What is no longer listed cannot be seen, and is not sent by accident.
  const chosen = (list.rows ?? []).filter(({ id }) => picked.value.has(id)).map(({ id }) => id);
  return (
    <Page title="Deliveries" actions={!values.record && <LiveBadge isLive={live.isLive} />}>
      <div class="toolbar">
        <FilterBar
          values={values}
          set={set}
          webhooks={webhooks}
          kinds={(kinds.rows ?? []).map(({ kind }) => [kind, kind] as const)}
        />
      </div>
      {(values.notification || live.unseen > 0) && (
        <div class="toolbar">
          {values.notification && (
            <Button small icon="cross" onClick={() => set({ notification: '' })}>
              Of one notification only
            </Button>
          )}
          {live.unseen > 0 && (
            <Button small icon="up" onClick={live.showUnseen}>
              Show {counted(live.unseen, 'new delivery', 'new deliveries')}
              {live.isMoreUnseen && ' or more'}
            </Button>
          )}
        </div>
      )}
      <Table
        label="Deliveries"
        noun="delivery"
        nouns="deliveries"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        href={({ id }) => to(`/deliveries/${id}`)}
        keys={keys}
        {...(isSelecting && { picked: picked.value, onPick: (next) => (picked.value = next) })}
        empty={isFiltered ? <NoneFound onClear={() => set(NO_FILTER)} /> : <NoneYet />}
      />
      {chosen.length > 0 && (
        <section class="picked-bar" aria-label="Selected deliveries">
          <b>{count(chosen.length)} selected</b>
          <Button look="plain" small onClick={() => (picked.value = new Set())}>
            Clear
          </Button>
          <Button look="primary" icon="again" busy={again.busy} onClick={() => again.run(chosen)}>
            Send again
          </Button>
        </section>
      )}
    </Page>
  );
}

/** What the address says and the API does not know is left out. */
function queryOf({ status, webhook, kind, notification }: Filters, period: Period): TriggerQuery {
  const known = STATUSES.find(([key]) => key === status)?.[0];
  return {
    ...ofWhom(),
    ...period,
    ...(known && { status: known }),
    ...(webhook && { webhook_id: webhook }),
    ...(kind && { event_kind: kind }),
    ...(notification && { notification_id: notification }),
  };
}

const LiveBadge = ({ isLive }: { isLive: boolean }) =>
  isLive ? (
    <Badge tone="good" icon="health">
      Live
    </Badge>
  ) : (
    <Badge tone="muted" icon="clock">
      Every 5 seconds
    </Badge>
  );

const NoneFound = ({ onClear }: { onClear: () => void }) => (
  <Empty title="No delivery is like that">
    <Button onClick={onClear}>Show all</Button>
  </Empty>
);

const NoneYet = () => (
  <Empty title="Nothing was sent yet">
    <p>Each time a webhook is told of something, the delivery appears here, with every attempt and answer.</p>
  </Empty>
);
