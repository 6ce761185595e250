import type { ServerResponse } from 'node:http';
import type { EventStream } from './event-stream.js';

/** Fastify's reply, or Express's response. */
export interface StreamedResponse {
  /** Fastify's. */
  raw?: ServerResponse;
  header(name: string, value: string): unknown;
  send(body: unknown): unknown;
}

/** `no-transform` keeps what compresses answers from holding events back, and the last one nginx. */
const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

export const rawOf = (response: StreamedResponse): ServerResponse =>
  response.raw ?? (response as unknown as ServerResponse);

/** Answers with a stream, in Express or Fastify. `null` answers only the head, for HEAD. */
export function answerStream(response: StreamedResponse, stream: EventStream | null): void {
  for (const [name, value] of Object.entries(HEADERS)) response.header(name, value);
  if (stream === null) response.send('');
  else if (response.raw) response.send(stream);
  else stream.pipe(rawOf(response));
}
