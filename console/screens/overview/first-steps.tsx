import type { WebhookDto } from 'webhook-notification-service-client';
import { to } from '../../data/place.js';
import { may } from '../../data/who.js';
import { useSendTest } from '../../domain/send-test.js';
import { Button, ButtonLink } from '../../parts/button.js';
import { Icon } from '../../parts/icon.js';
import { CodeBlock } from '../../parts/text/code-block.js';
import { RECEIVER } from './receiver-source.js';

/** Nothing was sent yet: from nothing to a notification that has arrived, in three steps. */
export function FirstSteps({ webhook }: { webhook: WebhookDto | undefined }) {
  const test = useSendTest();
  const mayWrite = may('webhooks:write');
  return (
    <div class="stack">
      <p class="muted">
        A webhook is an address of yours that is told what happens: a record is finished, a status changes. In
        three steps the first notification arrives.
      </p>
      <ol class="steps">
        <li>
          <h2>Run a receiver</h2>
          <p>
            Save this as <code>receiver.mjs</code>, and run <code>node receiver.mjs</code>. It prints what
            arrives. Or take one that you have.
          </p>
          <details class="more">
            <summary>receiver.mjs</summary>
            <CodeBlock text={RECEIVER} label="receiver.mjs" />
          </details>
        </li>
        <li data-done={webhook !== undefined || undefined}>
          <h2>Create a webhook</h2>
          {webhook ? (
            <p>
              <span class="good">
                <Icon name="check" size={12} />
              </span>{' '}
              <a href={to(`/webhooks/${webhook.id}`)}>{webhook.name}</a> sends to <code>{webhook.url}</code>.
            </p>
          ) : (
            <>
              <p>
                Give it the address of your receiver, such as <code>http://localhost:4000</code> where the
                service runs on this machine. Its secret goes into the receiver’s <code>WEBHOOK_SECRET</code>.
              </p>
              {mayWrite ? (
                <div>
                  <ButtonLink href={to('/webhooks/new')} look="primary" icon="plus">
                    New webhook
                  </ButtonLink>
                </div>
              ) : (
                <p class="muted">Your key may read only: somebody else has to create it.</p>
              )}
            </>
          )}
        </li>
        <li>
          <h2>Send a test</h2>
          <p>It goes the way of every notification: signed, timed, tried again.</p>
          {mayWrite && (
            <div>
              <Button
                look={webhook ? 'primary' : undefined}
                icon="delivery"
                busy={test.busy}
                disabled={webhook === undefined}
                onClick={() => webhook && test.run(webhook.id)}
              >
                Send a test
              </Button>
            </div>
          )}
        </li>
      </ol>
    </div>
  );
}
