import { useSignal } from '@preact/signals';
import { useRoute } from 'preact-iso';
import type { WebhookDto } from 'webhook-notification-service-client';
import { to } from '../../data/place.js';
import { useQuery } from '../../data/query.js';
import { may } from '../../data/who.js';
import { useSendTest } from '../../domain/send-test.js';
import { WebhookState } from '../../domain/webhook-state.js';
import { useAddress } from '../../parts/address.js';
import { Button } from '../../parts/button.js';
import { useCommands } from '../../parts/commands.js';
import { useKeys } from '../../parts/keyboard.js';
import { Page } from '../../parts/page.js';
import { Tabs } from '../../parts/tabs.js';
import { Box, ProblemBox } from '../../parts/text/boxes.js';
import { CopyText } from '../../parts/text/copy.js';
import { Bones, Empty } from '../../parts/text/empty.js';
import { DeleteDialog } from './delete-dialog.js';
import { KindsTab } from './kinds-tab.js';
import { NumbersTab } from './numbers-tab.js';
import { PauseDialog, useSwitch } from './pause.js';
import { RecoverTab } from './recover/recover-tab.js';
import { SettingsTab } from './settings-tab.js';
import { VerifyTab } from './verify/verify-tab.js';

const BACK = { href: to('/webhooks'), text: 'Webhooks' };
const EVERY_MS = 10_000;

/** One webhook: how it does, and all that can be changed about it. */
export default function Webhook() {
  const { params } = useRoute();
  const webhook = useQuery('/v1/webhook', { id: params.id as string }, { everyMs: EVERY_MS });
  const isGone = webhook.problem?.status === 404 || webhook.problem?.status === 400;
  if (webhook.data === undefined || isGone) {
    return (
      <Page title="Webhook" back={BACK} narrow>
        {isGone && <Empty title="There is no such webhook">It may have been deleted.</Empty>}
        {webhook.problem && !isGone && <ProblemBox problem={webhook.problem} onRetry={webhook.refresh} />}
        {!webhook.problem && <Bones lines={8} />}
      </Page>
    );
  }
  return <Shown key={webhook.data.id} webhook={webhook.data} etag={webhook.etag} refresh={webhook.refresh} />;
}

function Shown({
  webhook,
  etag,
  refresh,
}: {
  webhook: WebhookDto;
  etag: string | null;
  refresh: () => void;
}) {
  const { values, set } = useAddress('tab');
  const test = useSendTest();
  const switching = useSwitch(webhook);
  const isDeleting = useSignal(false);
  const { id, name, url, description, enabled } = webhook;
  const mayWrite = may('webhooks:write');
  const sendTest = () => void test.run(id);
  useKeys(mayWrite ? [{ key: 't', does: 'Send a test', run: sendTest }] : []);
  useCommands(
    mayWrite
      ? [
          { label: `Send a test to ${name}`, icon: 'delivery', run: sendTest },
          {
            label: enabled ? `Pause ${name}` : `Resume ${name}`,
            icon: enabled ? 'pause' : 'play',
            run: switching.ask,
          },
        ]
      : [],
    id,
    enabled,
    name,
  );
  return (
    <Page
      title={name}
      back={BACK}
      lead={
        <span class="row">
          <WebhookState webhook={webhook} />
          <CopyText text={url} label="Copy the address" />
          {description && <span>{description}</span>}
        </span>
      }
      actions={
        mayWrite && (
          <>
            <Button icon="delivery" busy={test.busy} onClick={sendTest}>
              Send a test
            </Button>
            <Button icon={enabled ? 'pause' : 'play'} busy={switching.busy} onClick={switching.ask}>
              {enabled ? 'Pause' : 'Resume'}
            </Button>
            <Button look="danger" icon="trash" onClick={() => (isDeleting.value = true)}>
              Delete
            </Button>
          </>
        )
      }
    >
      <WhyOff webhook={webhook} />
      <ToldOfNothing webhook={webhook} />
      <Tabs
        label={name}
        shown={values.tab || 'numbers'}
        onShow={(tab) => set({ tab: tab === 'numbers' ? '' : tab })}
        tabs={[
          { key: 'numbers', label: 'Deliveries', content: () => <NumbersTab webhook={webhook} /> },
          { key: 'kinds', label: 'Kinds', content: () => <KindsTab webhook={webhook} refresh={refresh} /> },
          {
            key: 'settings',
            label: 'Settings',
            content: () => <SettingsTab webhook={webhook} etag={etag} refresh={refresh} />,
          },
          {
            key: 'verify',
            label: 'Verify',
            content: () => <VerifyTab webhook={webhook} refresh={refresh} />,
          },
          { key: 'recover', label: 'Recover', content: () => <RecoverTab webhook={webhook} /> },
        ]}
      />
      {switching.isAsking && <PauseDialog webhook={webhook} switching={switching} />}
      {isDeleting.value && <DeleteDialog webhook={webhook} onClose={() => (isDeleting.value = false)} />}
    </Page>
  );
}

const REASONS = {
  gone: 'Its receiver answered 410 Gone, which means that nobody listens there any more.',
  failing: 'None of its attempts succeeded for so long that the service has stopped trying.',
} as const;

function WhyOff({ webhook: { id, disabled_reason } }: { webhook: WebhookDto }) {
  if (disabled_reason === null) return null;
  return (
    <div class="notice">
      <Box tone="bad" title="The service has switched this webhook off.">
        <p>
          {REASONS[disabled_reason]} Mend the receiver, press <b>Resume</b>, and send again what it missed,
          under <a href={to(`/webhooks/${id}?tab=recover`)}>Recover</a>.
        </p>
      </Box>
    </div>
  );
}

function ToldOfNothing({ webhook: { id, events } }: { webhook: WebhookDto }) {
  if (events.some(({ enabled }) => enabled)) return null;
  return (
    <div class="notice">
      <Box tone="warn" title="Nothing but tests is sent here.">
        <p>
          It is told of no kind of event. Switch on what it wants to know, under{' '}
          <a href={to(`/webhooks/${id}?tab=kinds`)}>Kinds</a>.
        </p>
      </Box>
    </div>
  );
}
