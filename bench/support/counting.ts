import { rmSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { GCProfiler } from 'node:v8';
import { isMainThread, Worker } from 'node:worker_threads';
import { pause } from './stats.js';

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
/**
 * In milliseconds. How long a commit waits before it goes to the database, many times what it takes there: what comes meanwhile
 * shares the next one, so how many there are does not follow the speed of the machine and its disk.
 */
const HELD_MS = 40;
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

/**
 * @param rows for which a statement of SQLite runs; MariaDB's has them in a list of its own.
 * @returns whether it commits.
 */
function count(connection: object, { sql, rows }: Step): boolean {
  counts.statements++;
  if (BEGIN.test(sql)) open.add(connection);
  else if (END.test(sql)) open.delete(connection);
  const commits = COMMIT.test(sql) || (WRITE.test(sql) && !open.has(connection));
  if (commits) counts.commits++;
  if (CLAIM.test(sql)) {
    counts.claims++;
    counts.claimed += rows?.length ?? sql.slice(sql.indexOf(' IN (')).split(',').length;
  }
  return commits;
}

/** @returns whether it commits. */
function countMessage(thread: object, { method, args }: Message): boolean {
  counts.messages++;
  const [first, rows = []] = args;
  if (method === 'query') return count(thread, { sql: first as string });
  if (method === 'each') return count(thread, { sql: first as string, rows });
  if (method !== 'script') return false;
  const steps = first as Step[];
  const commits = steps.some(({ sql }) => WRITE.test(sql));
  if (commits) counts.commits++;
  open.add(thread);
  for (const step of steps) count(thread, step);
  open.delete(thread);
  return commits;
}

function countMessages(): void {
  const { postMessage } = Worker.prototype;
  /** Threads with messages that are held, which stay in their order. */
  const holding = new WeakMap<Worker, Promise<void>>();
  Worker.prototype.postMessage = function (this: Worker, ...args: Parameters<typeof postMessage>) {
    // A thread of another sort gets no calls.
    const commits = 'method' in args[0] && countMessage(this, args[0]);
    const before = holding.get(this);
    if (!commits && before === undefined) return postMessage.apply(this, args);
    const sent = Promise.resolve(before)
      .then(() => (commits ? pause(HELD_MS) : undefined))
      .then(() => {
        postMessage.apply(this, args);
        if (holding.get(this) === sent) holding.delete(this);
      });
    holding.set(this, sent);
  };
}

/** A connection of MariaDB has one statement at a time, so nothing overtakes one that is held. */
function countPackets(port: number): void {
  const { write } = Socket.prototype;
  Socket.prototype.write = function (this: Socket, ...args: unknown[]) {
    const [packet] = args;
    const send = () => (write as (...all: unknown[]) => boolean).apply(this, args);
    const isQuery =
      Buffer.isBuffer(packet) && packet[COMMAND_AT] === QUERY_COMMAND && this.remotePort === port;
    if (!isQuery || !count(this, { sql: packet.toString('utf8', COMMAND_AT + 1) })) return send();
    setTimeout(send, HELD_MS);
    return true;
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
