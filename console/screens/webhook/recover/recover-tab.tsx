import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { WebhookDto } from 'webhook-notification-service-client';
import { useList } from '../../../data/list.js';
import { may } from '../../../data/who.js';
import { Badge, type Tone } from '../../../parts/badge.js';
import type { Column } from '../../../parts/table/columns.js';
import { Table } from '../../../parts/table/table.js';
import { Empty } from '../../../parts/text/empty.js';
import { count } from '../../../parts/text/format.js';
import { Time } from '../../../parts/text/time.js';
import { RecoverForm } from './recover-form.js';
import { type Recovery, RecoveryProgress } from './recovery-progress.js';

const STATES: Record<NonNullable<Recovery['state']>, readonly [Tone, string]> = {
  RUNNING: ['wait', 'Under way'],
  DONE: ['good', 'Done'],
  STOPPED: ['muted', 'Stopped'],
};

const COLUMNS: Column<Recovery>[] = [
  { key: 'begin', header: 'Begun', cell: ({ begin }) => <Time at={begin} /> },
  {
    key: 'state',
    header: 'State',
    cell: ({ state }) => {
      const [tone, text] = STATES[state ?? 'DONE'];
      return <Badge tone={tone}>{text}</Badge>;
    },
    tight: true,
  },
  { key: 'since', header: 'Since', cell: ({ since }) => <Time at={since} />, from: 'middle' },
  { key: 'until', header: 'Until', cell: ({ until }) => <Time at={until} />, from: 'middle' },
  {
    key: 'missed',
    header: 'Missed, too',
    cell: ({ missed }) => (missed ? 'Yes' : 'No'),
    tight: true,
    from: 'wide',
  },
  {
    key: 'done',
    header: 'Sent again',
    cell: ({ done, total }) => `${count(done)} of ${count(total)}`,
    number: true,
    tight: true,
  },
];

const RUNNING_MS = 1_000;
const IDLE_MS = 10_000;

/** Sends again what a webhook missed. */
export function RecoverTab({ webhook }: { webhook: WebhookDto }) {
  const isRunning = useSignal(false);
  const list = useList(
    '/v1/webhook/recover/list',
    { webhook_id: webhook.id },
    { pageSize: 20, everyMs: isRunning.value ? RUNNING_MS : IDLE_MS },
  );
  const running = list.rows?.find(({ state }) => state === 'RUNNING');
  useEffect(() => {
    isRunning.value = running !== undefined;
  }, [running !== undefined]);
  return (
    <div class="stack">
      {running && <RecoveryProgress recovery={running} />}
      {!running && may('webhooks:write') && (
        <RecoverForm webhook={webhook} newest={list.rows?.[0]?.id ?? undefined} />
      )}
      <section class="stack tight" aria-labelledby="recoveries">
        <h2 id="recoveries">Until now</h2>
        <Table
          label="Recoveries"
          noun="recovery"
          list={list}
          columns={COLUMNS}
          rowKey={({ id, since }) => id ?? since}
          empty={<Empty title="Nothing was recovered yet" />}
        />
      </section>
    </div>
  );
}
