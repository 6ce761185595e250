import type { WebhookAttemptDto } from 'webhook-notification-service-client';
import { Empty } from '../../parts/text/empty.js';
import { Facts } from '../../parts/text/facts.js';
import { milliseconds } from '../../parts/text/format.js';
import { Body } from './body.js';
import { PhaseList } from './timeline.js';
import type { Delivery } from './trigger.js';

/** What was sent and what was answered, side by side. */
export const Exchange = ({
  delivery,
  attempt,
  isLast,
}: {
  delivery: Delivery;
  attempt: WebhookAttemptDto | undefined;
  isLast: boolean;
}) => (
  <div class="split exchange">
    <Request delivery={delivery} isLast={isLast} />
    <Response attempt={attempt} />
  </div>
);

function Request({ delivery, isLast }: { delivery: Delivery; isLast: boolean }) {
  const { trigger, body } = delivery;
  const { method, url, headers } = trigger.request_data;
  return (
    <section class="card" aria-label="Request">
      <h2>Request</h2>
      {url && (
        <p class="address">
          <b>{method}</b> <code>{url}</code>
        </p>
      )}
      <Headers headers={headers} />
      {!isLast && (
        <p class="hint">
          These headers are those of the last attempt; number, time and signature were others.
        </p>
      )}
      {body === undefined ? (
        <p class="hint">The body is gone: it was erased, or is past its retention.</p>
      ) : (
        <Body text={body} label="Body of the request" />
      )}
    </section>
  );
}

function Response({ attempt }: { attempt: WebhookAttemptDto | undefined }) {
  const response = attempt?.response_data;
  return (
    <section class="card" aria-label="Response">
      <h2>Response</h2>
      {response ? (
        <>
          <p class="address">
            <b>{response.status}</b> <span class="muted">after {milliseconds(response.duration_ms)}</span>
          </p>
          {attempt && <PhaseList attempt={attempt} />}
          <Headers headers={response.headers} />
          {!response.body ? (
            <p class="hint">There is no body.</p>
          ) : (
            <Body
              text={response.body}
              label="Body of the response"
              note={response.truncated ? ', cut off there' : undefined}
            />
          )}
        </>
      ) : attempt ? (
        <>
          <p>There was none: {attempt.error?.message ?? 'the attempt ended without an answer.'}</p>
          <PhaseList attempt={attempt} />
        </>
      ) : (
        <Empty title="Not tried yet" />
      )}
    </section>
  );
}

const Headers = ({ headers }: { headers: Record<string, string> }) => (
  <details class="more" open>
    <summary>Headers</summary>
    <Facts
      facts={Object.entries(headers).map(([name, value]) => [name, <code key={name}>{value}</code>] as const)}
    />
  </details>
);
