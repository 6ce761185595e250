import { type AddressInfo, createServer, type Socket } from 'node:net';
import { serveCommands } from '../support/commands.js';
import { now, pause, percentile } from '../support/stats.js';

/** The counts of a receiver. Times are those of {@link now}. */
export interface Arrivals {
  total: number;
  /** Distinct pairs of path and `webhook-id`. */
  unique: number;
  first: number;
  last: number;
}

export interface Latency {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const REFUSAL = 'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 2\r\n\r\nno';
const NOTHING = Buffer.alloc(0);
/** In milliseconds. */
const PACE_MS = 5;
/** The path whose requests hang on demand, and are not counted among the others. */
const HANGING = '/hang';

let seen = new Set<string>();
let total = 0;
let first = 0;
let last = 0;
let latencies: number[] | null = null;
let hangs = false;
/** The answers that are put off until the receiver opens; null while it is open. */
let putOff: (() => void)[] | null = null;
/** Answers what was put off, a few at a time. */
let pace: NodeJS.Timeout | undefined;
let failing = 0;
let stuck: string | null = null;
let apart = { total: 0, first: 0, last: 0 };

// Raw sockets, so the receiver is not the bottleneck.
const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer = NOTHING;
  socket.on('data', (chunk) => {
    rest = take(socket, rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk);
  });
  socket.on('error', () => socket.destroy());
});

/** Takes every complete request out of `data`. @returns the remaining bytes */
function take(socket: Socket, data: Buffer): Buffer {
  let at = 0;
  for (;;) {
    const headEnd = data.indexOf('\r\n\r\n', at, 'latin1');
    if (headEnd < 0) break;
    const head = data.toString('latin1', at, headEnd).toLowerCase();
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    const id = /\r\nwebhook-id: *([^\r]+)/.exec(head)?.[1];
    if (length === undefined || id === undefined) {
      socket.destroy(new Error('No content-length or webhook-id'));
      return NOTHING;
    }
    const bodyStart = headEnd + 4;
    const end = bodyStart + Number(length);
    if (data.length < end) break;
    const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' ', head.indexOf(' ') + 1));
    at = end;
    if (isRefused(data, bodyStart, end)) {
      socket.write(REFUSAL, 'latin1');
      continue;
    }
    if (putOff !== null) {
      putOff.push(() => {
        note(path, id, NOTHING, 0, 0);
        socket.write(ANSWER, 'latin1');
      });
      continue;
    }
    if (path !== HANGING) note(path, id, data, bodyStart, end);
    else if (hangs) continue;
    else noteApart();
    socket.write(ANSWER, 'latin1');
  }
  return at === 0 ? data : data.subarray(at);
}

const isRefused = (data: Buffer, bodyStart: number, bodyEnd: number) =>
  (failing > 0 && Math.random() < failing) ||
  (stuck !== null && data.subarray(bodyStart, bodyEnd).includes(stuck));

function note(path: string, id: string, data: Buffer, bodyStart: number, bodyEnd: number): void {
  last = now();
  if (total === 0) first = last;
  total++;
  seen.add(`${path} ${id}`);
  if (!latencies) return;
  const sentAt = /"sent_at":"([\d.]+)"/.exec(data.toString('latin1', bodyStart, bodyEnd))?.[1];
  latencies.push(last - Number(sentAt));
}

function noteApart(): void {
  const at = now();
  apart = { total: apart.total + 1, first: apart.first || at, last: at };
}

const arrivals = (): Arrivals => ({ total, unique: seen.size, first, last });

interface Reset {
  latency?: boolean;
  hang?: boolean;
  close?: boolean;
  fail?: number;
  stick?: string | null;
}

serveCommands({
  async listen() {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
    return (server.address() as AddressInfo).port;
  },
  /**
   * Resets all counts. `latency`: records the duration of each delivery from now on. `fail`: the share of requests that are
   * refused, and not counted. `stick`: a text; requests that hold it are refused. `close`: answers nothing until it opens.
   */
  reset({ latency = false, hang = false, fail = 0, stick = null, close = false }: Reset) {
    seen = new Set();
    total = 0;
    latencies = latency ? [] : null;
    hangs = hang;
    failing = fail;
    stuck = stick;
    apart = { total: 0, first: 0, last: 0 };
    putOff = close ? [] : null;
    clearInterval(pace);
  },
  /** Answers what came while it was closed, and from now on everything: at once, or so many a second. */
  open({ perSecond }: { perSecond?: number } = {}) {
    const answers = putOff ?? [];
    putOff = perSecond === undefined ? null : answers;
    const answer = (count: number) => {
      for (const one of answers.splice(0, count)) one();
    };
    if (perSecond === undefined) return answer(answers.length);
    let answeredAt = now();
    pace = setInterval(() => {
      const due = Math.floor(((now() - answeredAt) / 1000) * perSecond);
      answeredAt += (due / perSecond) * 1000;
      answer(due);
    }, PACE_MS);
  },
  arrivals,
  /** Those at the path that may hang, while it does not. */
  apart: () => apart,
  /** Resolves with the arrivals once enough have come, or none has come for a while. */
  async wait({ count, stallMs }: { count: number; stallMs: number }) {
    let before = -1;
    let changedAt = now();
    while (seen.size < count && now() - changedAt < stallMs) {
      if (total !== before) changedAt = now();
      before = total;
      await pause(20);
    }
    return arrivals();
  },
  /** The duration of each delivery since the last reset. */
  latencies: () => latencies ?? [],
  latency(): Latency {
    const sorted = (latencies ?? []).sort((a, b) => a - b);
    return {
      count: sorted.length,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      max: sorted.at(-1) ?? Number.NaN,
    };
  },
});
