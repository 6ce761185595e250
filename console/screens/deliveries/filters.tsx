import { TimeFilter } from '../../domain/time-filter.js';
import type { WebhookNames } from '../../domain/webhook-names.js';
import { ExactField } from '../../parts/form/exact-field.js';
import type { Choices } from '../../parts/form/fields.js';
import { Filter } from '../../parts/form/filter.js';

export const FILTERS = [
  'status',
  'webhook',
  'kind',
  'time',
  'since',
  'until',
  'record',
  'notification',
] as const;
export type Filters = Record<(typeof FILTERS)[number], string>;

export const STATUSES = [
  ['', 'Any status'],
  ['PENDING', 'Waiting'],
  ['DELIVERING', 'Under way'],
  ['SUCCEEDED', 'Succeeded'],
  ['FAILED', 'Failed'],
  ['CANCELLED', 'Cancelled'],
] as const;

export const NO_FILTER = Object.fromEntries(FILTERS.map((name) => [name, ''])) as Filters;

export function FilterBar({
  values,
  set,
  webhooks,
  kinds,
}: {
  values: Filters;
  set: (changed: Partial<Filters>) => void;
  webhooks: WebhookNames;
  kinds: Choices<string>;
}) {
  return (
    <>
      <ExactField
        label="Record"
        placeholder="Id of a record…"
        value={values.record}
        onChange={(record) => set({ record })}
      />
      <Filter
        label="Status"
        value={values.status}
        choices={STATUSES}
        onChange={(status) => set({ status })}
      />
      <Filter
        label="Webhook"
        value={values.webhook}
        choices={withCurrent([['', 'Any webhook'], ...webhooks.choices], values.webhook, webhooks.nameOf)}
        onChange={(webhook) => set({ webhook })}
      />
      <Filter
        label="Kind of event"
        value={values.kind}
        choices={withCurrent([['', 'Any kind'], ...kinds], values.kind)}
        onChange={(kind) => set({ kind })}
      />
      <TimeFilter values={values} set={set} />
    </>
  );
}

/** What the address names is a choice, also before the names are there and after the webhook is gone. */
const withCurrent = (
  choices: Choices<string>,
  current: string,
  nameOf = (key: string) => key,
): Choices<string> =>
  choices.some(([key]) => key === current) ? choices : [...choices, [current, nameOf(current)]];
