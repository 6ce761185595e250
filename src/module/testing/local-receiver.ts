import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signatureHeader } from '../../engine/send/signature.js';
import { parseSecret } from '../../platform/secret/signing-secret.js';
import type { Payload } from './fake-transport.js';

/** How far a timestamp may be from now. Source: Standard Webhooks, "Verifying webhook authenticity". */
const TOLERANCE_SECONDS = 300;

/** A received request. */
export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
  payload: Payload;
}

/** A server on this machine that stands in for a customer's. */
export interface LocalReceiver {
  /** The URL for webhooks; any path may be appended. */
  url: string;
  /** Requests with a valid signature, in order of arrival. */
  received: Received[];
  /** Number of requests refused with 401: not signed with a known secret, or too old. */
  refused: number;
  /** Also accepts requests signed with this secret from now on. */
  trust(secret: string): void;
  /** Resolves with the next request that was not returned before. @param withinMs in real time @default 5000 */
  next(withinMs?: number): Promise<Received>;
  close(): Promise<void>;
}

/**
 * Starts a receiver that verifies requests by the rules of Standard Webhooks, and answers 200 or 401.
 *
 * @param secrets signing secrets, `whsec_` + base64, of the webhooks that point to it.
 * @param now the time to check timestamps against, in milliseconds; such as that of a test clock.
 */
export async function startLocalReceiver(
  secrets: string[] = [],
  now: () => number = Date.now,
): Promise<LocalReceiver> {
  const keys = secrets.map(keyOf);
  const received: Received[] = [];
  const waiting: ((one: Received) => void)[] = [];
  let taken = 0;
  const hand = () => {
    while (waiting.length > 0 && taken < received.length) waiting.shift()?.(received[taken++] as Received);
  };
  const server = createServer((request, response) => {
    void take(request, response).then(hand, () => response.destroy());
  });

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const ok = isSigned(request.headers, body, keys, now());
    response.writeHead(ok ? 200 : 401).end();
    if (!ok) receiver.refused++;
    else
      received.push({
        path: request.url ?? '/',
        headers: request.headers,
        body,
        payload: JSON.parse(body.toString()),
      });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: LocalReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    refused: 0,
    trust: (secret) => void keys.push(keyOf(secret)),
    next: (withinMs = 5000) =>
      new Promise((resolve, reject) => {
        const take = (one: Received) => {
          clearTimeout(timer);
          resolve(one);
        };
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(take), 1);
          reject(new Error(`Nothing arrived within ${withinMs} ms.`));
        }, withinMs);
        waiting.push(take);
        hand();
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

function keyOf(secret: string): KeyObject {
  const key = parseSecret(secret);
  if (key === null) throw new Error('The secret must be whsec_ and base64 of 24 to 64 bytes.');
  return key;
}

function isSigned(
  headers: IncomingMessage['headers'],
  body: Buffer,
  keys: KeyObject[],
  now: number,
): boolean {
  const timestamp = Number(headers['webhook-timestamp']);
  if (!(Math.abs(now / 1000 - timestamp) <= TOLERANCE_SECONDS)) return false;
  const given = String(headers['webhook-signature'] ?? '').split(' ');
  return keys
    .map((key) => signatureHeader([key], String(headers['webhook-id']), timestamp, body))
    .some((expected) => given.some((one) => isSame(one, expected)));
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
