/** A kind of event as the API lists it: its meaning and its payload. */
export interface EventKind {
  description: string;
  /** JSON Schema of the request body that a webhook receives. */
  schema: Record<string, unknown>;
  example: Record<string, unknown>;
}

/** JSON Schema of a request body with this `data`. */
export const schemaOf = (kind: string, data: object) => ({
  type: 'object',
  required: ['data', 'triggered_at', 'event_kind'],
  properties: { data, triggered_at: { type: 'string', format: 'date-time' }, event_kind: { const: kind } },
});

/** A request body with this `data`. */
export const exampleOf = (kind: string, data: unknown) => ({
  data,
  triggered_at: '2026-11-21T10:15:30.123Z',
  event_kind: kind,
});
