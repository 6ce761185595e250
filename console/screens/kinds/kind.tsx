import { useSignal } from '@preact/signals';
import { useRoute } from 'preact-iso';
import type { WebhookDto } from 'webhook-notification-service-client';
import { useList } from '../../data/list.js';
import { to } from '../../data/place.js';
import { may, ofWhom } from '../../data/who.js';
import { useKinds } from '../../domain/kinds.js';
import { WebhookState } from '../../domain/webhook-state.js';
import { useAddress } from '../../parts/address.js';
import { Button } from '../../parts/button.js';
import { Page } from '../../parts/page.js';
import type { Column } from '../../parts/table/columns.js';
import { Table } from '../../parts/table/table.js';
import { Tabs } from '../../parts/tabs.js';
import { ProblemBox } from '../../parts/text/boxes.js';
import { CodeBlock } from '../../parts/text/code-block.js';
import { Bones, Empty } from '../../parts/text/empty.js';
import { JsonTree } from '../../parts/text/json-view.js';
import { SendTestDialog } from './send-test-dialog.js';

const COLUMNS: Column<WebhookDto>[] = [
  {
    key: 'name',
    header: 'Webhook',
    cell: ({ name, url }) => (
      <>
        {name}
        <span class="sub">{url}</span>
      </>
    ),
    sortBy: ({ name }) => name,
  },
  { key: 'state', header: 'State', cell: (webhook) => <WebhookState webhook={webhook} />, tight: true },
];

/** One kind: what is sent, and to whom. */
export default function Kind() {
  const { params } = useRoute();
  const { values, set } = useAddress('tab');
  const kinds = useKinds();
  const webhooks = useList(
    '/v1/webhook/list',
    { ...ofWhom(), event_kind: params.kind as string },
    { pageSize: 100 },
  );
  const isTesting = useSignal(false);
  const kind = kinds.rows?.find((one) => one.kind === params.kind);
  const back = { href: to('/kinds'), text: 'Kinds of event' };
  if (!kind) {
    return (
      <Page title={params.kind ?? ''} back={back} narrow>
        {kinds.problem && <ProblemBox problem={kinds.problem} onRetry={kinds.refresh} />}
        {kinds.rows ? <Empty title="There is no such kind" /> : !kinds.problem && <Bones />}
      </Page>
    );
  }
  return (
    <Page
      title={kind.kind}
      lead={kind.description}
      back={back}
      actions={
        may('webhooks:write') && (
          <Button icon="delivery" onClick={() => (isTesting.value = true)}>
            Send a test
          </Button>
        )
      }
    >
      <Tabs
        label={kind.kind}
        shown={values.tab || 'example'}
        onShow={(tab) => set({ tab: tab === 'example' ? '' : tab })}
        tabs={[
          {
            key: 'example',
            label: 'Example',
            content: () => (
              <CodeBlock text={JSON.stringify(kind.example, null, 2)} label="Example of a body" />
            ),
          },
          {
            key: 'schema',
            label: 'Schema',
            content: () => <JsonTree value={kind.schema} label="JSON Schema of the body" />,
          },
          {
            key: 'subscribed',
            label: webhooks.rows
              ? `Subscribed (${webhooks.rows.length}${webhooks.hasMore ? '+' : ''})`
              : 'Subscribed',
            content: () => (
              <Table
                label="Subscribed webhooks"
                noun="webhook"
                list={webhooks}
                columns={COLUMNS}
                rowKey={({ id }) => id}
                href={({ id }) => to(`/webhooks/${id}`)}
                empty={<Empty title="No webhook is subscribed to this kind" />}
              />
            ),
          },
        ]}
      />
      {isTesting.value && <SendTestDialog kind={kind.kind} onClose={() => (isTesting.value = false)} />}
    </Page>
  );
}
