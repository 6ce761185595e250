import { useRoute } from 'preact-iso';
import { to } from '../../data/place.js';
import { may } from '../../data/who.js';
import { madeAt } from '../../domain/made-at.js';
import { NextAttempt } from '../../domain/next-attempt.js';
import { useSendAgain } from '../../domain/send-again.js';
import { TriggerStatus } from '../../domain/trigger-status.js';
import { useWebhookNames } from '../../domain/webhook-names.js';
import { Button } from '../../parts/button.js';
import { useCommands } from '../../parts/commands.js';
import { useKeys } from '../../parts/keyboard.js';
import { Page } from '../../parts/page.js';
import { ProblemBox } from '../../parts/text/boxes.js';
import { CopyText, copy } from '../../parts/text/copy.js';
import { Bones, Empty } from '../../parts/text/empty.js';
import { Facts } from '../../parts/text/facts.js';
import { Time } from '../../parts/text/time.js';
import { Attempts } from './attempts.js';
import { curlOf } from './curl.js';
import { type Delivery as Found, useDelivery } from './trigger.js';

const MASK = '********';

/** What one webhook was told, how often it was tried, and what it answered. */
export default function Delivery() {
  const { id = '' } = useRoute().params;
  const delivery = useDelivery(id);
  const { data: found, problem } = delivery;
  const again = useSendAgain();
  const back = { href: to('/deliveries'), text: 'Deliveries' };
  const isWriter = may('webhooks:write');
  const send = () => void again.run([id]);
  const asCurl = () => found && copyCurl(found);
  useKeys([
    { key: 'c', does: 'Copy as curl', run: asCurl },
    ...(isWriter ? [{ key: 'r', does: 'Send again', run: send }] : []),
  ]);
  useCommands(
    [
      { label: 'Copy as curl', icon: 'copy', run: () => void asCurl() },
      ...(isWriter ? [{ label: 'Send again', icon: 'again' as const, run: send }] : []),
    ],
    found,
  );
  if (!found) {
    const isGone = problem?.status === 404 || problem?.status === 400;
    return (
      <Page title="Delivery" back={back}>
        {isGone && <Empty title="There is no such delivery" />}
        {problem && !isGone && <ProblemBox problem={problem} onRetry={delivery.refresh} />}
        {!problem && <Bones lines={8} />}
      </Page>
    );
  }
  return (
    <Page
      title={found.trigger.event_kind}
      back={back}
      actions={
        <>
          {found.trigger.request_data.url && (
            <Button icon="copy" onClick={asCurl}>
              Copy as curl
            </Button>
          )}
          {isWriter && (
            <Button look="primary" icon="again" busy={again.busy} onClick={send}>
              Send again
            </Button>
          )}
        </>
      }
    >
      <div class="stack">
        {problem && <ProblemBox problem={problem} onRetry={delivery.refresh} />}
        <Summary {...found} />
        <Attempts delivery={found} />
      </div>
    </Page>
  );
}

function Summary({ trigger }: Found) {
  const { id, status, webhook_id, notification_id, event_id } = trigger;
  const { nameOf } = useWebhookNames();
  return (
    <Facts
      facts={[
        [
          'Status',
          <span key="status" class="row" role="status">
            <TriggerStatus status={status} />
            {status === 'PENDING' && <NextAttempt {...trigger} />}
          </span>,
        ],
        [
          'Webhook',
          <a key="webhook" href={to(`/webhooks/${webhook_id}`)}>
            {nameOf(webhook_id)}
          </a>,
        ],
        [
          'Notification',
          <span key="notification" class="row">
            <a href={to(`/notifications/${notification_id}`)}>Who else was told</a>
            {event_id === null && <span class="muted">a test</span>}
          </span>,
        ],
        ['Triggered', <Time key="at" at={madeAt(id)} exact />],
        ['Id', <CopyText key="id" text={id} label="Copy the id" />],
      ]}
    />
  );
}

function copyCurl({ trigger, body }: Found): void {
  const { request_data } = trigger;
  const isMasked = Object.values(request_data.headers).includes(MASK);
  copy(curlOf(request_data, body), isMasked ? 'Copied; put in the values that are masked' : 'Copied as curl');
}
