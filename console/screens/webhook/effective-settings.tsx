import type { WebhookDto } from '../../../src/client/index.js';
import { Facts } from '../../parts/text/facts.js';
import { count, milliseconds, span } from '../../parts/text/format.js';

/** What holds for a webhook, for whoever may not change it. */
export function EffectiveSettings({ webhook }: { webhook: WebhookDto }) {
  const {
    timeout_ms,
    retry_schedule_seconds,
    concurrency,
    rate_per_second,
    ordering,
    coalesce,
    auto_recover,
  } = webhook.effective_settings;
  const own = (name: keyof WebhookDto['settings']) =>
    webhook.settings[name] === null ? <span class="muted">, as the service</span> : null;
  return (
    <Facts
      facts={[
        ['Address', <code key="url">{webhook.url}</code>],
        ...Object.entries(webhook.headers).map(
          ([name, value]) => [name, <code key={name}>{value}</code>] as const,
        ),
        ['Signature', webhook.signature.scheme],
        ['Authentication', webhook.authentication?.type ?? 'none'],
        ['Client certificate', webhook.tls?.client_certificate ? 'yes' : 'no'],
        [
          'Longest wait for an answer',
          <>
            {milliseconds(timeout_ms)}
            {own('timeout_ms')}
          </>,
        ],
        [
          'Pauses between attempts',
          <>
            {retry_schedule_seconds.map(span).join(', ')}
            {own('retry_schedule_seconds')}
          </>,
        ],
        [
          'Attempts at once',
          <>
            {count(concurrency)}
            {own('concurrency')}
          </>,
        ],
        [
          'Attempts a second',
          <>
            {rate_per_second === null ? 'no limit' : count(rate_per_second)}
            {own('rate_per_second')}
          </>,
        ],
        ['Keeps the order of each record', ordering === 'record' ? 'yes' : 'no'],
        ['Sends only the newest of a record and kind', coalesce ? 'yes' : 'no'],
        ['Comes back by itself', auto_recover ? 'yes' : 'no'],
      ]}
    />
  );
}
