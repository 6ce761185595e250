import type { WebhookDto } from 'webhook-notification-service-client';
import { effectiveSettings } from '../../domain/settings.js';
import { Facts } from '../../parts/text/facts.js';

/** What holds for a webhook, for whoever may not change it. */
export const EffectiveSettings = ({ webhook }: { webhook: WebhookDto }) => (
  <Facts
    facts={[
      ['Address', <code key="url">{webhook.url}</code>],
      ...Object.entries(webhook.headers).map(
        ([name, value]) => [name, <code key={name}>{value}</code>] as const,
      ),
      ['Signature', webhook.signature.scheme],
      ['Authentication', webhook.authentication?.type ?? 'none'],
      ['Client certificate', webhook.tls?.client_certificate ? 'yes' : 'no'],
      ...effectiveSettings(webhook).map(
        ({ label, text, isOwn }) =>
          [
            label,
            <>
              {text}
              {isOwn ? null : <span class="muted">, as the service</span>}
            </>,
          ] as const,
      ),
    ]}
  />
);
