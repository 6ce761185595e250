import { beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { exchange } from '../../egress/exchange.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { finished, newUser, trigger } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { type ServiceProcess, startProcessOn } from '../support/process.js';
import type { ParsedAnswer } from './answer.js';
import { operations } from './document.js';
import { anyFraming, type Framing } from './framing.js';
import { mayEnter } from './headers.js';
import { faultOf, faultOfExchange, isDocumented } from './judge.js';
import { type Memory, memoryOf } from './memory.js';
import { anyRequest, type FuzzRequest, toWire } from './request.js';
import { attackWith, inTime, shown } from './run.js';
import { ATTACKED, freshNames, lastingNames } from './scene.js';
import { CLOSED, WireClient } from './wire.js';

const REQUESTS = { SQLite: 10_000, MariaDB: 2000 };
/** Code that is compiled and caches that are filled are no leaks. */
const WARM_UP = 2000;
const FRAMINGS = { SQLite: 600, MariaDB: 200 };
const MAX_MS = 240_000;
/** Bytes that a server certainly reads of a request that it refuses by its first line. */
const MAX_READ_AHEAD = 64 * 1024;

describe.each(databases)('hostile requests on $name', (kind) => {
  const database = useDatabase(kind);
  const receiver = useReceiver();
  let service: ServiceProcess;
  let client: WireClient;
  let names: Map<string, string>;
  let idle: Memory;
  /** How often each operation answered with each status. */
  const answered = new Map<string, Map<number, number>>();

  beforeAll(async () => {
    service = await startProcessOn(database, ATTACKED);
    client = new WireClient(Number(new URL(service.url).port));
    database.defer(() => client.close());
    names = await lastingNames(service, receiver.url);
  });

  /** Sends all requests at once. @returns the first fault, or null. */
  async function attack(batch: FuzzRequest[]): Promise<string | null> {
    const all = new Map([...names, ...(await freshNames(service, receiver.url))]);
    const faults = await Promise.all(batch.map((request) => send(request, all)));
    return faults.find((fault) => fault !== null) ?? null;
  }

  async function send(request: FuzzRequest, all: Map<string, string>): Promise<string | null> {
    const wire = toWire(request, all);
    const outcome = await client.send(wire);
    const { answer } = outcome;
    // A client that is still sending when the connection ends may miss the response (RFC 9112, 9.6).
    const mayClose = request.method === 'CONNECT' || wire.bytes.length > MAX_READ_AHEAD;
    const fault =
      mayClose && answer === CLOSED ? null : (faultOf(outcome, wire.hasNoBody) ?? breach(request, answer));
    if (typeof answer !== 'string') count(request, answer.status);
    if (fault === null) return null;
    const came = typeof answer === 'string' ? answer : `${answer.status} ${shown(answer.body)}`;
    return `${request.operation.name} ${fault}\n--- sent\n${shown(wire.bytes)}\n--- came back\n${came}`;
  }

  /** A breach by the operation itself, if the request reached it: wrong access or an undocumented status. */
  function breach({ operation, method, path, headers }: FuzzRequest, answer: ParsedAnswer | string) {
    if (typeof answer === 'string' || operation.statuses.length === 0) return null;
    if (method !== operation.method || path !== operation.path) return null;
    const { status } = answer;
    if (status < 400 && operation.scope !== null && !mayEnter(headers, operation.scope))
      return `let in who may not, with ${status}`;
    return isDocumented(operation, status) ? null : `was answered ${status}, which is not documented`;
  }

  function count({ operation, method }: FuzzRequest, status: number): void {
    if (method !== operation.method) return;
    const statuses = answered.get(operation.name) ?? new Map<number, number>();
    answered.set(operation.name, statuses.set(status, (statuses.get(status) ?? 0) + 1));
  }

  async function writeAll(batch: Framing[]): Promise<string | null> {
    const faults = await Promise.all(
      batch.map(async (framing) => {
        const answer = await inTime(exchange(service.url, framing.text)).catch(String);
        const fault = faultOfExchange(answer, framing.isContradictory);
        return fault && `${fault}\n--- sent\n${shown(framing.text)}\n--- came back\n${shown(answer)}`;
      }),
    );
    return faults.find((fault) => fault !== null) ?? null;
  }

  it(
    'are answered, and refusals reveal no internals',
    async () => {
      await attackWith(anyRequest, WARM_UP, attack);
      idle = await memoryOf(service);
      await attackWith(anyRequest, REQUESTS[kind.name], attack);
    },
    MAX_MS,
  );

  it('are accepted at least once and refused at least once by every operation', () => {
    const without = (good: boolean) =>
      operations
        .map(({ name }) => name)
        .filter((name) => ![...(answered.get(name)?.keys() ?? [])].some((status) => status < 400 === good));
    expect({ neverGood: without(true), neverRefused: without(false) }).toEqual({
      neverGood: [],
      neverRefused: [],
    });
  });

  it(
    'are refused when their framing is contradictory',
    () => attackWith(anyFraming, FRAMINGS[kind.name], writeAll),
    MAX_MS,
  );

  it('leak no memory', async () => {
    const after = await memoryOf(service);
    // Usually 2 MB, for webhooks cached for sending; keeping every body would add 5 MB.
    expect(after.heap - idle.heap).toBeLessThan(5);
    expect(after.external - idle.external).toBeLessThan(2);
    // Usually 35 MB: pages of large bodies that the allocator keeps for reuse.
    expect(after.resident - idle.resident).toBeLessThan(80);
  });

  it('leave the service working', async () => {
    const user = newUser();
    const { secret } = await createWebhook(service, { user_id: user, url: `${receiver.url}/after` });
    const { status, notification_id } = await finished(service, await trigger(service, user));
    expect(status).toBe('SUCCEEDED');
    const request = receiver.requests.find(({ path }) => path === '/after');
    expect(request?.headers['webhook-id']).toBe(notification_id);
    const headers = request?.headers as Record<string, string>;
    expect(() => new Webhook(secret).verify(String(request?.body), headers)).not.toThrow();
  });
});
