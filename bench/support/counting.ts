import { rmSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { GCProfiler } from 'node:v8';
import { isMainThread, Worker } from 'node:worker_threads';

/** What a service has asked of its database so far, as counted in front of the driver, and of its main thread's heap. */
export interface Counts {
  /** On SQLite a statement that runs for many rows counts once. */
  statements: number;
  commits: number;
  /** Messages to the threads of SQLite. */
  messages: number;
  claims: number;
  /** Triggers that were to be claimed. */
  claimed: number;
  /** Garbage collections, small and large. */
  collections: number;
  /** Bytes. */
  allocated: number;
}

interface Step {
  sql: string;
  rows?: unknown[];
}

/** To a thread of SQLite: a statement with its parameters or rows, or the steps of a transaction. */
interface Message {
  method: string;
  args: [sql: string, rows: unknown[]] | [steps: Step[]];
}

const BEGIN = /^(BEGIN|START TRANSACTION)/i;
const END = /^(COMMIT|ROLLBACK)/i;
const COMMIT = /^COMMIT/i;
const WRITE = /^(INSERT|UPDATE|DELETE|REPLACE)/i;
const CLAIM = /^UPDATE webhook_trigger (FORCE INDEX \(PRIMARY\) )?SET status = 'DELIVERING'/;
/** Of a packet to MariaDB: its length in three bytes, its number, and the command. */
const QUERY_COMMAND = 3;
const COMMAND_AT = 4;

const counts: Counts = {
  statements: 0,
  commits: 0,
  messages: 0,
  claims: 0,
  claimed: 0,
  collections: 0,
  allocated: 0,
};
/** Connections with an open transaction. */
const open = new WeakSet<object>();

/** @param rows for which a statement of SQLite runs; MariaDB's has them in a list of its own. */
function count(connection: object, { sql, rows }: Step): void {
  counts.statements++;
  if (BEGIN.test(sql)) open.add(connection);
  else if (END.test(sql)) open.delete(connection);
  if (COMMIT.test(sql) || (WRITE.test(sql) && !open.has(connection))) counts.commits++;
  if (!CLAIM.test(sql)) return;
  counts.claims++;
  counts.claimed += rows?.length ?? sql.slice(sql.indexOf(' IN (')).split(',').length;
}

function countMessage(thread: object, { method, args }: Message): void {
  counts.messages++;
  const [first, rows = []] = args;
  if (method === 'query') count(thread, { sql: first as string });
  if (method === 'each') count(thread, { sql: first as string, rows });
  if (method !== 'script') return;
  const steps = first as Step[];
  if (steps.some(({ sql }) => WRITE.test(sql))) counts.commits++;
  open.add(thread);
  for (const step of steps) count(thread, step);
  open.delete(thread);
}

function countMessages(): void {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (this: Worker, ...args: Parameters<typeof postMessage>) {
    // A thread of another sort gets no calls.
    if ('method' in args[0]) countMessage(this, args[0]);
    return postMessage.apply(this, args);
  };
}

function countPackets(port: number): void {
  const { write } = Socket.prototype;
  Socket.prototype.write = function (this: Socket, ...args: unknown[]) {
    const [packet] = args;
    if (Buffer.isBuffer(packet) && packet[COMMAND_AT] === QUERY_COMMAND && this.remotePort === port)
      count(this, { sql: packet.toString('utf8', COMMAND_AT + 1) });
    return (write as (...all: unknown[]) => boolean).apply(this, args);
  } as typeof write;
}

/** Follows the heap of this thread. What was allocated is what a collection finds beyond what the one before left. */
class Heap {
  private readonly profiler = new GCProfiler();
  private used = process.memoryUsage().heapUsed;

  constructor() {
    this.profiler.start();
  }

  count(): void {
    for (const { beforeGC, afterGC } of this.profiler.stop()?.statistics ?? []) {
      counts.collections++;
      this.allocatedUntil(beforeGC.heapStatistics.usedHeapSize);
      this.used = afterGC.heapStatistics.usedHeapSize;
    }
    this.allocatedUntil(process.memoryUsage().heapUsed);
    this.profiler.start();
  }

  private allocatedUntil(used: number): void {
    counts.allocated += Math.max(0, used - this.used);
    this.used = used;
  }
}

// The threads of SQLite load this file as well.
const { COUNTING_SOCKET: socket, DATABASE_URL: url } = process.env;
if (isMainThread && socket && url) {
  rmSync(socket, { force: true });
  if (url.startsWith('sqlite:')) countMessages();
  else countPackets(Number(new URL(url).port || 3306));
  const heap = new Heap();
  createServer((asking) => {
    heap.count();
    asking.end(JSON.stringify(counts));
  })
    .listen(socket)
    .unref();
}
