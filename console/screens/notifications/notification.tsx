import { useSignal } from '@preact/signals';
import { useRoute } from 'preact-iso';
import type { WebhookDecisionDto, WebhookNotificationDetailDto } from 'webhook-notification-service-client';
import { api } from '../../data/api.js';
import type { Answer } from '../../data/call.js';
import { memberSource } from '../../data/member-source.js';
import { to } from '../../data/place.js';
import { type Resource, useResource } from '../../data/resource.js';
import { isAdmin, may } from '../../data/who.js';
import { Badge } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { Page } from '../../parts/page.js';
import type { Column } from '../../parts/table/columns.js';
import { Table } from '../../parts/table/table.js';
import { ProblemBox } from '../../parts/text/boxes.js';
import { CopyButton, CopyText } from '../../parts/text/copy.js';
import { Bones, Empty } from '../../parts/text/empty.js';
import { Facts } from '../../parts/text/facts.js';
import { JsonView } from '../../parts/text/json-view.js';
import { Time } from '../../parts/text/time.js';
import { EraseDialog } from './erase-dialog.js';
import { DECISIONS, Outcomes } from './outcomes.js';

const POLL_MS = 5_000;

interface Found extends WebhookNotificationDetailDto {
  /** The record, character for character. */
  source: string | undefined;
}

function useNotification(id: string): Resource<Found> {
  const load = async (signal: AbortSignal): Promise<Answer<Found>> => {
    const answer = await api.GET('/v1/notification', { query: { id }, signal });
    if (answer.problem) return answer;
    const source = answer.data.data ? memberSource(answer.text ?? '', 'data') : undefined;
    return { data: { ...answer.data, source }, etag: null };
  };
  return useResource(`/v1/notification?id=${id}`, load, { everyMs: POLL_MS });
}

/** One event that was reported: what became of it at each webhook, and what was sent. */
export default function Notification() {
  const { id = '' } = useRoute().params;
  const found = useNotification(id);
  const isErasing = useSignal(false);
  const { data, problem } = found;
  const back = { href: to('/notifications'), text: 'Notifications' };
  if (!data) {
    const isGone = problem?.status === 404 || problem?.status === 400;
    return (
      <Page title="Notification" back={back}>
        {isGone && <Empty title="There is no such notification" />}
        {problem && !isGone && <ProblemBox problem={problem} onRetry={found.refresh} />}
        {!problem && <Bones lines={8} />}
      </Page>
    );
  }
  const { record_id, user_id, erased_at } = data;
  return (
    <Page
      title={data.event_kind}
      back={back}
      actions={
        record_id !== null &&
        !erased_at &&
        may('webhooks:write') && (
          <Button look="danger" icon="trash" onClick={() => (isErasing.value = true)}>
            Erase this record’s data
          </Button>
        )
      }
    >
      <div class="stack">
        {problem && <ProblemBox problem={problem} onRetry={found.refresh} />}
        <Facts
          facts={[
            record_id !== null && [
              'Record',
              <span key="record" class="row">
                <code>{record_id}</code>
                <a href={to(`/notifications?${new URLSearchParams({ record: record_id })}`)}>
                  All that was reported of it
                </a>
              </span>,
            ],
            isAdmin.value && ['User', user_id],
            ['Reported', <Time key="at" at={data.triggered_at} exact />],
            ['What became of it', <Outcomes key="outcomes" triggers={data.triggers} />],
            ['Id', <CopyText key="id" text={data.id} label="Copy the id" />],
          ]}
        />
        <section class="titled" aria-label="Webhooks">
          <h2>Webhooks</h2>
          <Table
            label="What was decided for each webhook"
            noun="webhook"
            list={{ rows: data.decisions }}
            columns={COLUMNS}
            rowKey={({ webhook_id }) => webhook_id}
            empty={<Empty title="There was no webhook" />}
          />
        </section>
        <section class="titled" aria-label="What was reported">
          <div class="row">
            <h2>Data</h2>
            {data.source !== undefined && (
              <span class="end">
                <CopyButton text={data.source} label="Copy the data" />
              </span>
            )}
          </div>
          {data.source === undefined ? (
            <Gone erasedAt={erased_at} />
          ) : (
            <JsonView text={data.source} label="Data" />
          )}
        </section>
      </div>
      {isErasing.value && record_id !== null && (
        <EraseDialog recordId={record_id} userId={user_id} onClose={() => (isErasing.value = false)} />
      )}
    </Page>
  );
}

const Gone = ({ erasedAt }: { erasedAt: string | null }) =>
  erasedAt ? (
    <p>
      Erased <Time at={erasedAt} />.
    </p>
  ) : (
    <p>It is past its retention, and gone.</p>
  );

const COLUMNS: Column<WebhookDecisionDto>[] = [
  {
    key: 'name',
    header: 'Webhook',
    cell: ({ webhook_id, name }) =>
      name === null ? (
        <span class="muted">Deleted webhook</span>
      ) : (
        <a class="above" href={to(`/webhooks/${webhook_id}`)}>
          {name}
        </a>
      ),
    sortBy: ({ name }) => name,
  },
  {
    key: 'outcome',
    header: 'Told',
    cell: ({ outcome }) => {
      const [tone, text] = DECISIONS[outcome];
      return <Badge tone={tone}>{text}</Badge>;
    },
    tight: true,
  },
  {
    key: 'why',
    header: 'Why',
    cell: ({ outcome, reason, trigger_id }) =>
      trigger_id ? (
        <a class="above" href={to(`/deliveries/${trigger_id}`)}>
          Delivery
        </a>
      ) : (
        <>
          {DECISIONS[outcome][2]}
          {reason && (
            <span class="sub">
              <code>{reason}</code>
            </span>
          )}
        </>
      ),
  },
];
