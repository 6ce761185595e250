import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { systemClock } from '../../src/platform/clock.js';
import { DATE_TIME, expectProblem, NO_ID } from '../support/api.js';
import { moveClock, standStill } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import type { ReceivedRequest } from '../support/receiver.js';
import { newUser, triggerWhen } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const DAY_SECONDS = 86_400;
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

const signaturesOf = ({ headers }: ReceivedRequest) => String(headers['webhook-signature']).split(' ');

/**
 * Whether a receiver that knows this secret accepts the request. Signs it again with the library of Standard Webhooks,
 * because the library's `verify` goes by the real time.
 */
function verifies(request: ReceivedRequest, secret: string): boolean {
  const { headers, body } = request;
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
  const signature = new Webhook(secret).sign(String(headers['webhook-id']), sentAt, body.toString());
  return signaturesOf(request).includes(signature);
}

/** Whether the signature at this index is made with the secret. */
function isSignedAt(place: number, request: ReceivedRequest, secret: string): boolean {
  const headers = { ...request.headers, 'webhook-signature': signaturesOf(request)[place] };
  return verifies({ ...request, headers }, secret);
}

describe.each(databases)('signing secrets on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver('test');

  const rotate = (id: string, more: object = {}) =>
    service.call('POST', '/v1/webhook/secret/rotate', { id, ...more });

  async function rotated(id: string, overlap_seconds: number) {
    const answer = await rotate(id, { overlap_seconds });
    expect(answer).toMatchObject({ status: 200, body: { secret: expect.stringMatching(SECRET) } });
    return answer.body;
  }

  const expiries = async (id: string) =>
    (await service.call('GET', `/v1/webhook?id=${id}`)).body.previous_secrets_expire_at;

  /** Sends a test event. @returns the request that the receiver gets. */
  async function sent(id: string, by = service): Promise<ReceivedRequest> {
    const before = receiver.requests.length;
    expect(await by.call('POST', '/v1/webhook/test', { id })).toMatchObject({ status: 202 });
    return (await receiver.waitFor(before + 1))[before] as ReceivedRequest;
  }

  const shown = async (id: string) => (await service.call('GET', `/v1/webhook/secret?id=${id}`)).body.secret;

  it('are shown when rotated, and overlap with the previous one for a day', async () => {
    const { id, secret } = await createWebhook(service);
    const before = systemClock.now();
    const answer = await rotate(id);
    const after = systemClock.now();
    expect(answer.body).toEqual({
      secret: expect.stringMatching(SECRET),
      previous_expires_at: expect.stringMatching(DATE_TIME),
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const rotatedAt = Date.parse(answer.body.previous_expires_at) - DAY_SECONDS * 1000;
    expect(rotatedAt).toBeGreaterThanOrEqual(before);
    expect(rotatedAt).toBeLessThanOrEqual(after);
    expect(answer.body.secret).not.toBe(secret);
    expect(await shown(id)).toBe(answer.body.secret);
  });

  it('sign from the newest to the oldest, each until the end that was announced when it was rotated out', async () => {
    const { id, secret: first } = await createWebhook(service, { url: receiver.url });
    const signing = async (...secrets: string[]) => {
      const request = await sent(id);
      expect(signaturesOf(request)).toHaveLength(secrets.length);
      for (const [place, secret] of secrets.entries())
        expect([secret, isSignedAt(place, request, secret)]).toEqual([secret, true]);
    };
    await signing(first);
    const one = await rotated(id, 600);
    await signing(one.secret, first);
    const two = await rotated(id, 60);
    // Without an overlap it is replaced at once.
    const three = await rotated(id, 0);
    expect(three.previous_expires_at).toBeNull();
    await signing(three.secret, one.secret, first);
    expect(await expiries(id)).toEqual([two.previous_expires_at, one.previous_expires_at]);
    moveClock(30_000);
    await signing(three.secret, one.secret, first);
    expect(await expiries(id)).toHaveLength(2);
    moveClock(31_000);
    await signing(three.secret, first);
    expect(await expiries(id)).toEqual([one.previous_expires_at]);
    moveClock(540_000);
    await signing(three.secret);
    expect(await expiries(id)).toEqual([]);
  });

  it('are limited to five at a time', async () => {
    const { id } = await createWebhook(service, { url: receiver.url });
    for (const overlap of [600, 60, 600, 600]) await rotated(id, overlap);
    expect(signaturesOf(await sent(id))).toHaveLength(5);
    const before = await shown(id);
    expectProblem(await rotate(id, { overlap_seconds: 1 }), 409, 'too_many_secrets');
    expect(await shown(id)).toBe(before);
    await rotated(id, 0);
    expect(signaturesOf(await sent(id))).toHaveLength(5);
    moveClock(61_000);
    await rotated(id, 600);
    expect(signaturesOf(await sent(id))).toHaveLength(5);
  });

  it('can be chosen by the caller, and rotating to the same one again changes nothing', async () => {
    const { id, secret: first } = await createWebhook(service, { url: receiver.url });
    const mine = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const answer = await rotate(id, { secret: mine, overlap_seconds: 60 });
    expect(answer).toMatchObject({ status: 200, body: { secret: mine } });
    const again = await rotate(id, { secret: mine, overlap_seconds: 600 });
    expect(again.body).toEqual(answer.body);
    const request = await sent(id);
    expect([isSignedAt(0, request, mine), isSignedAt(1, request, first)]).toEqual([true, true]);
    // A secret that already signs becomes the newest, and signs only once.
    const back = await rotate(id, { secret: first, overlap_seconds: 60 });
    expect(back.body.secret).toBe(first);
    const last = await sent(id);
    expect(signaturesOf(last)).toHaveLength(2);
    expect([isSignedAt(0, last, first), isSignedAt(1, last, mine)]).toEqual([true, true]);
  });

  it('all sign until their announced end when rotated at the same time', async () => {
    for (const _ of [1, 2, 3]) {
      const { id, secret: first } = await createWebhook(service, { url: receiver.url });
      const calls = Array.from({ length: 8 }, () => rotate(id, { overlap_seconds: 600 }));
      const { 200: done = [], 409: refused = [] } = Object.groupBy(
        await Promise.all(calls),
        ({ status }) => status,
      );
      expect([done.length, refused.length]).toEqual([4, 4]);
      const request = await sent(id);
      expect(signaturesOf(request)).toHaveLength(5);
      for (const secret of [first, ...done.map(({ body }) => body.secret)])
        expect(verifies(request, secret)).toBe(true);
      expect(isSignedAt(0, request, await shown(id))).toBe(true);
    }
  });

  it('sign a retry if they are current at the time of the retry', async () => {
    const user_id = newUser();
    const { id, secret: old } = await createWebhook(service, { url: receiver.url, user_id });
    receiver.respondWith([{ status: 500 }, {}]);
    const { body } = await service.call('POST', '/v1/webhook/test', { id });
    await receiver.waitFor(1);
    const { secret } = await rotated(id, 0);
    await triggerWhen(service, body.id, ({ status }) => status === 'PENDING');
    await service.call('POST', '/v1/webhook/trigger/retry', { id: body.id });
    const [, again] = (await receiver.waitFor(2)) as [ReceivedRequest, ReceivedRequest];
    expect([verifies(again, secret), verifies(again, old)]).toEqual([true, false]);
  });

  it('overlap for whole seconds, a week at most, and are rotated only with valid fields', async () => {
    const { id } = await createWebhook(service);
    expect(await rotate(id, { overlap_seconds: 604_800 })).toMatchObject({ status: 200 });
    for (const overlap_seconds of [-1, 604_801, 1.5, '60', null])
      expectProblem(await rotate(id, { overlap_seconds }), 400, 'validation_failed', ['/overlap_seconds']);
    expectProblem(await rotate(NO_ID), 404, 'not_found');
    expectProblem(await rotate('x', { secret: 'x' }), 400, 'validation_failed', ['/id', '/secret']);
  });

  if (kind.name === 'SQLite') return;

  it('are replaced in other processes within a second', async () => {
    const other = await service.database.start({ ROLE: 'api' });
    const { id, secret: old } = await createWebhook(service, { url: receiver.url });
    expect(verifies(await sent(id), old)).toBe(true);
    const { body } = await other.call('POST', '/v1/webhook/secret/rotate', { id, overlap_seconds: 0 });
    standStill(1000);
    expect(verifies(await sent(id), body.secret)).toBe(true);
  });
});
