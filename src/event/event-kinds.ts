import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** A kind of event as it is listed: what it means, and what its payload looks like. */
export interface EventKind {
  description: string;
  /** JSON Schema of the request body that a webhook receives. */
  schema: Record<string, unknown>;
  example: Record<string, unknown>;
}

const ANALYSIS_FINISHED = 'ANALYSIS_FINISHED';
const RECORD_FINISHED = 'RECORD_FINISHED';
const STATUS_CHANGED = 'STATUS_CHANGED';
/** The kind of a test notification. Nothing can subscribe to it. */
export const WEBHOOK_TEST = 'WEBHOOK_TEST';

const NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

const analysis = { id: 'ana_1', status: 'VALID' };
const otherAnalysis = { id: 'ana_2', status: 'PENDING' };

const schemaOf = (kind: string, analyses: string) => ({
  type: 'object',
  required: ['data', 'triggered_at', 'event_kind'],
  properties: {
    data: {
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
    },
    triggered_at: { type: 'string', format: 'date-time' },
    event_kind: { const: kind },
  },
});

const exampleOf = (kind: string, analyses: object[]) => ({
  data: { id: 'rec_1', status: 'VALID', analysis: analyses },
  triggered_at: '2026-11-21T10:15:30.123Z',
  event_kind: kind,
});

const kindOf = (
  kind: string,
  description: string,
  analyses: string,
  example: object[],
): [string, EventKind] => [
  kind,
  { description, schema: schemaOf(kind, analyses), example: exampleOf(kind, example) },
];

/** The kinds of event that the service knows, and a schema field for them. */
@Injectable()
export class EventKinds {
  private readonly kinds = new Map<string, EventKind>([
    kindOf(ANALYSIS_FINISHED, 'An analysis of a record finished.', 'Only the analysis that finished', [
      analysis,
    ]),
    kindOf(RECORD_FINISHED, 'All analyses of a record finished.', 'All analyses of the record', [
      analysis,
      { ...otherAnalysis, status: 'VALID' },
    ]),
    kindOf(STATUS_CHANGED, 'The status of a record changed.', 'All analyses of the record', [
      analysis,
      otherAnalysis,
    ]),
  ]);

  list(): { kind: string; definition: EventKind }[] {
    return [...this.kinds].map(([kind, definition]) => ({ kind, definition }));
  }

  /** A request field that takes the kinds known. */
  field(): z.ZodType<string> {
    return z
      .string({ error: 'must be an event kind' })
      .refine((kind) => NAME.test(kind) && this.kinds.has(kind), {
        error: `must be one of ${[...this.kinds.keys()].join(', ')}`,
      });
  }
}
