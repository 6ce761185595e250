import type { WebhookDto } from 'webhook-notification-service-client';
import { Button } from '../../parts/button.js';
import { Box } from '../../parts/text/boxes.js';

/** What a person sees of a webhook, in his words. */
const SHOWN: readonly (readonly [name: string, text: (webhook: WebhookDto) => string])[] = [
  ['Name', ({ name }) => name],
  ['Address', ({ url }) => url],
  ['State', ({ enabled }) => (enabled ? 'on' : 'off')],
  ['Description', ({ description }) => description ?? ''],
  ['Headers', ({ headers }) => lines(headers)],
  ['Kinds of event', ({ events }) => events.map(eventText).sort().join(', ')],
  ['Signature', ({ signature }) => signature.scheme],
  ['Authentication', ({ authentication }) => (authentication ? lines(authentication) : '')],
  ['Certificates', ({ tls }) => (tls ? lines(tls) : '')],
  ['Limits', ({ settings }) => lines(settings)],
  ['Own id', ({ uid }) => uid ?? ''],
  ['Notes', ({ metadata }) => lines(metadata)],
  ['Secrets that sign besides', ({ previous_secrets_expire_at: { length } }) => `${length}`],
];

const eventText = ({ kind, enabled, filter }: WebhookDto['events'][number]): string =>
  `${kind}${enabled ? '' : ' (off)'}${filter ? ` where ${JSON.stringify(filter)}` : ''}`;

/** What is not set is left out. */
const lines = (values: object): string =>
  Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`)
    .join('; ');

export interface Difference {
  name: string;
  before: string;
  now: string;
}

export const differences = (before: WebhookDto, now: WebhookDto): Difference[] =>
  SHOWN.map(([name, text]) => ({ name, before: text(before), now: text(now) })).filter(
    (one) => one.before !== one.now,
  );

/** Somebody else was faster: what he changed. What is typed here is still there, over his. */
export const Conflict = ({
  changed,
  onDiscard,
}: {
  changed: readonly Difference[];
  onDiscard: () => void;
}) => (
  <Box tone="warn" title="Somebody else has changed this webhook meanwhile." alert>
    {changed.length === 0 ? (
      <p>What changed is not shown, such as a masked value.</p>
    ) : (
      <dl class="facts">
        {changed.map(({ name, before, now }) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name} now`}>
            {before && <del>{before}</del>} {now ? <ins>{now}</ins> : <i>none</i>}
          </dd>,
        ])}
      </dl>
    )}
    <p>Nothing is saved yet. Saving now keeps these changes, but for fields that you have changed, too.</p>
    <div>
      <Button small onClick={onDiscard}>
        Discard what I typed
      </Button>
    </div>
  </Box>
);
