import { beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { exchange } from '../../egress/exchange.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { operations } from '../../support/operations.js';
import { finished, newUser, trigger } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { type ServiceProcess, startProcessOn } from '../support/process.js';
import { anyFraming, type Framing } from './framing.js';
import { mayEnter } from './headers.js';
import { faultOf, faultOfAll } from './judge.js';
import { comesBackTo, type Memory, memoryOf } from './probe.js';
import {
  answersTo,
  anyRequest,
  bytesOf,
  type FuzzRequest,
  mayBeFollowed,
  NEXT,
  SILENT_MS,
  send,
} from './request.js';
import { attackWith, shown } from './run.js';
import { ATTACKED, freshNames, lastingNames } from './scene.js';

const REQUESTS = { SQLite: 10_000, MariaDB: 2000 };
/** Code that is compiled and caches that are filled are no leaks. */
const WARM_UP = 2000;
const FRAMINGS = { SQLite: 600, MariaDB: 200 };
const MAX_MS = 240_000;
/**
 * Usually the heap grows by 2 MB, for webhooks cached for sending; keeping the text of every body would add 2 MB to it, and keeping its
 * bytes 6 MB outside of it. Resident memory grows by up to 45 MB: pages of large bodies that the allocator keeps for reuse.
 */
const MAX_GROWTH: Memory = { heap: 3, external: 2, resident: 80 };
/** Bytes that a server certainly reads of a request that it refuses by its first line. */
const MAX_READ_AHEAD = 64 * 1024;

describe.each(databases)('hostile requests on $name', (kind) => {
  const database = useDatabase(kind);
  const receiver = useReceiver();
  let service: ServiceProcess;
  let names: Map<string, string>;
  let idle: Memory;
  /** Names of operations that have done so. */
  const [accepted, refused] = [new Set<string>(), new Set<string>()];

  beforeAll(async () => {
    service = await startProcessOn(database, ATTACKED);
    names = await lastingNames(service, receiver.url);
  });

  /** Sends all requests at once. @returns the first fault, or null. */
  async function attack(batch: FuzzRequest[]): Promise<string | null> {
    const all = new Map([...names, ...(await freshNames(service, receiver.url))]);
    return firstOf(
      batch.map(async (request) => {
        const bytes = bytesOf(request, all);
        const sent = mayBeFollowed(request, bytes) ? [bytes, NEXT] : [bytes];
        const received = await send(service.url, request, sent).catch(String);
        const fault = faultIn(request, bytes, received);
        return fault && described(`${request.operation.name} ${fault}`, bytes, received);
      }),
    );
  }

  function faultIn(request: FuzzRequest, bytes: Buffer, received: string): string | null {
    const [answer, ...next] = answersTo(request, received);
    if (!answer) {
      // A client that is still sending when the connection ends may miss the response (RFC 9112, 9.6).
      const mayClose = request.method === 'CONNECT' || bytes.length > MAX_READ_AHEAD;
      return mayClose && received === '' ? null : 'had no answer';
    }
    count(request, answer.status);
    if (next.some(({ status }) => status !== 200)) return 'was taken for two requests';
    return faultOf(answer, request.method === 'HEAD') ?? breach(request, answer.status);
  }

  /** A breach by the operation itself, if the request reached it: wrong access or an undocumented status. */
  function breach({ operation, method, path, headers }: FuzzRequest, status: number): string | null {
    const { statuses, scope } = operation;
    if (statuses.length === 0 || method !== operation.method || path !== operation.path) return null;
    if (status < 400 && scope !== null && !mayEnter(headers, scope))
      return `let in who may not, with ${status}`;
    return statuses.includes(status) ? null : `was answered ${status}, which is not documented`;
  }

  function count({ operation, method }: FuzzRequest, status: number): void {
    if (method !== operation.method) return;
    (status < 400 ? accepted : refused).add(operation.name);
  }

  const writeAll = (batch: Framing[]) =>
    firstOf(
      batch.map(async ({ text, isContradictory }) => {
        const received = await exchange(service.url, text, { silentMs: SILENT_MS }).catch(String);
        const fault = faultOfAll(received, isContradictory);
        return fault && described(fault, text, received);
      }),
    );

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
    const never = (seen: Set<string>) => operations.map(({ name }) => name).filter((name) => !seen.has(name));
    expect({ accepted: never(accepted), refused: never(refused) }).toEqual({ accepted: [], refused: [] });
  });

  it(
    'are refused when their framing is contradictory',
    () => attackWith(anyFraming, FRAMINGS[kind.name], writeAll),
    MAX_MS,
  );

  it('leak no memory', () => comesBackTo(service, idle, MAX_GROWTH));

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

const described = (fault: string, sent: Buffer | string, received: string) =>
  `${fault}\n--- sent\n${shown(sent)}\n--- came back\n${shown(received)}`;

async function firstOf(faults: Promise<string | null>[]): Promise<string | null> {
  return (await Promise.all(faults)).find((fault) => fault !== null) ?? null;
}
