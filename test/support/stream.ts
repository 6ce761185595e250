import http from 'node:http';
import { afterEach } from '@jest/globals';
import { ADMIN_KEY } from './call.js';
import type { Json } from './scene.js';
import { until } from './until.js';

export interface StreamedEvent {
  id: string;
  event: string;
  data: Json;
  /** When it came, by `performance.now()`. */
  at: number;
}

export interface StreamOptions {
  /** @default the admin key */
  key?: string;
  lastId?: string;
  headers?: Record<string, string>;
}

/** Reads Server-Sent Events as a browser does. */
export class StreamReader {
  readonly events: StreamedEvent[] = [];
  /** How many comments came. */
  comments = 0;
  /** What to go on from. */
  lastId = '';
  isOver = false;

  private constructor(readonly response: http.IncomingMessage) {}

  /** @throws Error if the answer is no stream. */
  static async open(
    url: string,
    { key = ADMIN_KEY, lastId, headers }: StreamOptions = {},
  ): Promise<StreamReader> {
    const given = {
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...(lastId ? { 'last-event-id': lastId } : {}),
      ...headers,
    };
    // Not by fetch: after an abort it opens another connection, for which a server that stops would wait.
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http.get(url, { headers: given, agent: false }, resolve).on('error', reject);
    });
    response.setEncoding('utf8');
    if (response.statusCode !== 200) {
      const text = (await response.toArray()).join('');
      throw new Error(`${response.statusCode} ${text}`);
    }
    const reader = new StreamReader(response);
    let rest = '';
    response.on('data', (part: string) => {
      const blocks = (rest + part).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) reader.take(block);
    });
    response.on('error', () => {});
    response.on('close', () => {
      reader.isOver = true;
    });
    return reader;
  }

  close(): void {
    this.response.destroy();
  }

  of(event: string): StreamedEvent[] {
    return this.events.filter((one) => one.event === event);
  }

  /** Resolves with the first event that holds. */
  when(holds: (data: Json, event: StreamedEvent) => boolean): Promise<StreamedEvent> {
    return until(() => this.events.find((one) => holds(one.data, one)), { what: 'the event' });
  }

  private take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      if (colon === 0) this.comments++;
      else fields.set(line.slice(0, colon), line.slice(colon + 2));
    }
    const id = fields.get('id');
    if (id !== undefined) this.lastId = id;
    const data = fields.get('data');
    if (data === undefined) return;
    this.events.push({
      id: this.lastId,
      event: fields.get('event') ?? 'message',
      data: JSON.parse(data),
      at: performance.now(),
    });
  }
}

/** Opens streams, and closes those of a test when it has ended. */
export function useStreams(): typeof StreamReader.open {
  const open: StreamReader[] = [];
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });
  return async (...url) => {
    const stream = await StreamReader.open(...url);
    open.push(stream);
    return stream;
  };
}
