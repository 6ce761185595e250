import { z } from 'zod';
import type { OperationalKind } from '../engine/webhook/operational-kind.js';
import { invalid } from '../platform/problem.js';
import { isKindName } from '../rest/fields.js';
import { OPERATIONAL_EVENTS, OPERATIONAL_KINDS } from './operational-kinds.js';
import { type EventKind, exampleOf, schemaOf } from './payload-docs.js';

/**
 * An application's own kinds of event. It declares them by merging into this interface, each with the name of the event
 * that it emits and the type of its record:
 *
 *     declare module 'webhook-notification-service' {
 *       interface HostEventKinds {
 *         INVOICE_PAID: { event: 'invoice.paid'; record: Invoice };
 *       }
 *     }
 *
 * and registers, under the same names, as the module's option `eventKinds`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: hosts add to it
export interface HostEventKinds {}

/**
 * A kind of event as an application registers it.
 *
 * @typeParam Declared the kind's entry in `HostEventKinds`.
 */
export interface HostEventKind<Declared = { event: string; record: object }> {
  /** The name of the event, which is emitted with `{ user_id, record }`. */
  event: Declared extends { event: infer Name } ? Name : string;
  /** One sentence for those who subscribe. */
  description: string;
  /** JSON Schema of the record, which receivers get as `data`. It is shown but not enforced. */
  schema: Record<string, unknown>;
  /** A record, for the documentation and for test notifications. */
  example: Declared extends { record: infer HostRecord } ? HostRecord : object;
}

const ANALYSIS_FINISHED = 'ANALYSIS_FINISHED';
const RECORD_FINISHED = 'RECORD_FINISHED';
const STATUS_CHANGED = 'STATUS_CHANGED';
/** The kind of a test notification. Nothing can subscribe to it. */
export const WEBHOOK_TEST = 'WEBHOOK_TEST';

/** The service's own kind for each name of a lifecycle event. */
export const KIND_OF_EVENT = {
  'analysis.finished': ANALYSIS_FINISHED,
  'record.finished': RECORD_FINISHED,
  'record.status_changed': STATUS_CHANGED,
} as const;

/** The kinds of event that a webhook can subscribe to. */
export type WebhookEventKind =
  | (typeof KIND_OF_EVENT)[keyof typeof KIND_OF_EVENT]
  | OperationalKind
  | Extract<keyof HostEventKinds, string>;

const analysis = { id: 'ana_1', status: 'VALID' };
const otherAnalysis = { id: 'ana_2', status: 'PENDING' };

const recordSchema = (analyses: string) => ({
  type: 'object',
  description: 'The Record: every field that was reported, untouched',
  required: ['id', 'analysis'],
  properties: {
    id: { type: 'string' },
    analysis: {
      type: 'array',
      description: analyses,
      items: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    },
  },
});

function ownKind(
  kind: string,
  description: string,
  analyses: string,
  example: object[],
): [string, EventKind] {
  const data = { id: 'rec_1', status: 'VALID', analysis: example };
  return [
    kind,
    { description, schema: schemaOf(kind, recordSchema(analyses)), example: exampleOf(kind, data) },
  ];
}

const OWN_KINDS = [
  ownKind(ANALYSIS_FINISHED, 'An analysis of a record finished.', 'Only the analysis that finished', [
    analysis,
  ]),
  ownKind(RECORD_FINISHED, 'All analyses of a record finished.', 'All analyses of the record', [
    analysis,
    { ...otherAnalysis, status: 'VALID' },
  ]),
  ownKind(STATUS_CHANGED, 'The status of a record changed.', 'All analyses of the record', [
    analysis,
    otherAnalysis,
  ]),
];

/** The known kinds of event, including the application's own, and a schema field for them. */
export class EventKinds {
  private readonly kinds = new Map<string, EventKind>([...OWN_KINDS, ...OPERATIONAL_KINDS]);
  /** Kind by the name of its event. */
  private readonly byEvent = new Map<string, string>(Object.entries(KIND_OF_EVENT));
  /** An example record of each of the application's own kinds. */
  private readonly hostExamples = new Map<string, object>();

  /** @throws Error if the name of a kind is malformed or taken. */
  constructor(hostKinds: Record<string, HostEventKind> = {}) {
    for (const [kind, definition] of Object.entries(hostKinds)) this.add(kind, definition);
  }

  list(): { kind: string; definition: EventKind }[] {
    return [...this.kinds].map(([kind, definition]) => ({ kind, definition }));
  }

  /** The names of all events that have a kind. */
  events(): string[] {
    return [...this.byEvent.keys()];
  }

  /** The kind of the event with this name. */
  ofEvent(name: string): string | undefined {
    return this.byEvent.get(name);
  }

  /** An example record of one of the application's own kinds; undefined for the others, whose records have analyses. */
  hostExample(kind: string): object | undefined {
    return this.hostExamples.get(kind);
  }

  /** @param field the field to name in the error. @throws Problem 400 */
  check(kind: string, field: 'event_kind' | 'eventKind'): void {
    const { error } = this.field().safeParse(kind);
    if (error) throw invalid(error.issues.map(({ message }) => ({ pointer: `/${field}`, message })));
  }

  /** A request field that accepts the known kinds. */
  field(): z.ZodType<string> {
    return z
      .string({ error: 'must be an event kind' })
      .refine((kind) => isKindName(kind) && this.kinds.has(kind), {
        error: `must be one of ${[...this.kinds.keys()].join(', ')}`,
      });
  }

  private add(kind: string, { event, description, schema, example }: HostEventKind): void {
    if (!isKindName(kind))
      throw new Error(`Event kind "${kind}": write it in upper snake case, 1 to 64 characters.`);
    if (kind === WEBHOOK_TEST || this.kinds.has(kind))
      throw new Error(`Event kind ${kind}: the name is taken; choose another one.`);
    if (typeof event !== 'string' || event === '')
      throw new Error(
        `Event kind ${kind}: it has no event; give it the name that you emit, as in event: 'invoice.paid'.`,
      );
    if (OPERATIONAL_EVENTS.has(event))
      throw new Error(
        `Event kind ${kind}: "${event}" is an event that this module emits itself; give the kind an event of its own.`,
      );
    const other = this.byEvent.get(event);
    if (other !== undefined)
      throw new Error(
        `Event kind ${kind}: "${event}" is the event of ${other} already; give it an event of its own.`,
      );
    this.byEvent.set(event, kind);
    this.hostExamples.set(kind, example);
    this.kinds.set(kind, { description, schema: schemaOf(kind, schema), example: exampleOf(kind, example) });
  }
}
