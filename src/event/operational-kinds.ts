import type { OperationalKind } from '../engine/webhook/operational-kind.js';
import { type EventKind, exampleOf, schemaOf } from './payload-docs.js';

/** The events that tell the application the same, and others of the engine: no kind of its own may have their names. */
export const OPERATIONAL_EVENTS: ReadonlySet<string> = new Set([
  'webhook.failing',
  'webhook.disabled',
  'trigger.failed',
  'trigger.recovered',
  'trigger.succeeded',
  'attempt.failed',
]);

const uuid = { type: 'string', format: 'uuid' };
const dateTime = { type: 'string', format: 'date-time' };
const count = { type: 'integer' };
const WEBHOOK_ID = '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42';

/** What the data of every operational kind begins with. */
const COMMON = {
  id: uuid,
  webhook_id: uuid,
  webhook_name: { type: 'string' },
  url: { type: 'string', description: 'Of the webhook; a query is masked' },
};
const common = { webhook_id: WEBHOOK_ID, webhook_name: 'CRM sync', url: 'https://crm.example.com/hooks' };

const OF_TRIGGER = { notification_id: uuid, event_kind: { type: 'string' }, attempt_count: count };
const ofTrigger = {
  id: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b46',
  ...common,
  notification_id: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b45',
  event_kind: 'RECORD_FINISHED',
};

function kindOf(
  kind: OperationalKind,
  description: string,
  own: Record<string, object>,
  example: Record<string, unknown> & { id: string },
): [OperationalKind, EventKind] {
  const properties = { ...COMMON, ...own };
  const data = { type: 'object', description, required: Object.keys(properties), properties };
  return [kind, { description, schema: schemaOf(kind, data), example: exampleOf(kind, example) }];
}

/** Each with its description, its schema and an example. */
export const OPERATIONAL_KINDS: ReadonlyMap<string, EventKind> = new Map([
  kindOf(
    'WEBHOOK_FAILING',
    'Another webhook fails, and is 25, 50 or 75 % of the way to being disabled for that.',
    {
      failing_since: dateTime,
      percent: { type: 'integer', enum: [25, 50, 75] },
      will_be_disabled_at: { ...dateTime, description: 'From then on the next failure disables it' },
    },
    {
      id: WEBHOOK_ID,
      ...common,
      failing_since: '2026-11-18T22:15:30.123Z',
      percent: 50,
      will_be_disabled_at: '2026-11-23T22:15:30.123Z',
    },
  ),
  kindOf(
    'WEBHOOK_DISABLED',
    'Another webhook was disabled because of the answers of its receiver.',
    {
      reason: { type: 'string', enum: ['gone', 'failing'] },
      disabled_at: dateTime,
      failing_since: { type: ['string', 'null'], format: 'date-time' },
    },
    {
      id: WEBHOOK_ID,
      ...common,
      reason: 'failing',
      disabled_at: '2026-11-21T10:15:30.123Z',
      failing_since: '2026-11-16T10:15:30.123Z',
    },
  ),
  kindOf(
    'TRIGGER_FAILED',
    'The last attempt of a trigger of another webhook failed.',
    {
      ...OF_TRIGGER,
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'string' }, message: { type: 'string' } },
      },
      failed_at: dateTime,
    },
    {
      ...ofTrigger,
      attempt_count: 8,
      error: { code: 'http_status', message: 'The receiver answered 503.' },
      failed_at: '2026-11-21T10:15:30.123Z',
    },
  ),
  kindOf(
    'TRIGGER_RECOVERED',
    'A trigger of another webhook that had failed was delivered after all.',
    {
      ...OF_TRIGGER,
      cause: { type: 'string', description: 'Why the attempt that succeeded was made' },
      recovered_at: dateTime,
    },
    { ...ofTrigger, attempt_count: 9, cause: 'retry', recovered_at: '2026-11-21T10:15:30.123Z' },
  ),
]);

/** An example of the `data` of an operational kind; undefined for the others. */
export const operationalExample = (kind: string): unknown => OPERATIONAL_KINDS.get(kind)?.example.data;
