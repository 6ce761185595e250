import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { systemClock } from '../../src/platform/clock.js';
import { DATE_TIME, expectProblem, NO_ID } from '../support/api.js';
import { moveClock, standStill } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import type { ReceivedRequest } from '../support/receiver.js';
import { newUser } from '../support/scene.js';
import { until } from '../support/until.js';
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

  const rotate = (id: string, more: object = {}, key?: string) =>
    service.call('POST', '/v1/webhook/secret/rotate', { id, ...more }, key ? { key } : {});

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

  it('are shown when rotated, and overlap with the previous one for a day', async () => {
    const { id, secret } = await createWebhook(service);
    const before = systemClock.now();
    const answer = await rotate(id);
    const after = systemClock.now();
    expect(answer).toMatchObject({
      status: 200,
      body: {
        secret: expect.stringMatching(SECRET),
        previous_expires_at: expect.stringMatching(DATE_TIME),
      },
    });
    expect(Object.keys(answer.body)).toEqual(['secret', 'previous_expires_at']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const rotatedAt = Date.parse(answer.body.previous_expires_at) - DAY_SECONDS * 1000;
    expect(rotatedAt).toBeGreaterThanOrEqual(before);
    expect(rotatedAt).toBeLessThanOrEqual(after);
    expect(answer.body.secret).not.toBe(secret);
    const shown = await service.call('GET', `/v1/webhook/secret?id=${id}`);
    expect(shown.body).toEqual({ secret: answer.body.secret });
  });

  it('both sign until the previous one expires, with the new signature first', async () => {
    const { id, secret: old } = await createWebhook(service, { url: receiver.url });
    await sent(id);
    const { secret } = await rotated(id, 60);
    const request = await sent(id);
    expect(signaturesOf(request)).toHaveLength(2);
    expect([verifies(request, secret), verifies(request, old)]).toEqual([true, true]);
    expect([isSignedAt(0, request, secret), isSignedAt(1, request, old)]).toEqual([true, true]);

    moveClock(58_000);
    expect(signaturesOf(await sent(id))).toHaveLength(2);
    moveClock(3_000);
    const later = await sent(id);
    expect(signaturesOf(later)).toHaveLength(1);
    expect([verifies(later, secret), verifies(later, old)]).toEqual([true, false]);
  });

  it('are replaced at once without an overlap', async () => {
    const { id, secret: old } = await createWebhook(service, { url: receiver.url });
    expect(verifies(await sent(id), old)).toBe(true);
    const { secret, previous_expires_at } = await rotated(id, 0);
    expect(previous_expires_at).toBeNull();
    const request = await sent(id);
    expect(signaturesOf(request)).toHaveLength(1);
    expect([verifies(request, secret), verifies(request, old)]).toEqual([true, false]);
  });

  it('sign until the end that was announced when they were rotated out', async () => {
    const { id, secret: first } = await createWebhook(service, { url: receiver.url });
    const one = await rotated(id, 600);
    const two = await rotated(id, 60);
    const three = await rotated(id, 0);
    const secrets = [three.secret, two.secret, one.secret, first];
    const signing = async () => {
      const request = await sent(id);
      return [signaturesOf(request).length, ...secrets.map((secret) => verifies(request, secret))];
    };
    // The third was rotated out without an overlap.
    expect(await signing()).toEqual([3, true, false, true, true]);
    expect(await expiries(id)).toEqual([two.previous_expires_at, one.previous_expires_at]);
    const request = await sent(id);
    for (const [place, secret] of [three.secret, one.secret, first].entries())
      expect(isSignedAt(place, request, secret)).toBe(true);
    moveClock(61_000);
    expect(await signing()).toEqual([2, true, false, false, true]);
    expect(await expiries(id)).toEqual([one.previous_expires_at]);
    moveClock(540_000);
    expect(await signing()).toEqual([1, true, false, false, false]);
    expect(await expiries(id)).toEqual([]);
  });

  it('are limited to five at a time', async () => {
    const { id } = await createWebhook(service, { url: receiver.url });
    for (const overlap of [600, 60, 600, 600]) await rotated(id, overlap);
    expect(signaturesOf(await sent(id))).toHaveLength(5);
    const before = await service.call('GET', `/v1/webhook/secret?id=${id}`);
    expectProblem(await rotate(id, { overlap_seconds: 1 }), 409, 'too_many_secrets');
    expect((await service.call('GET', `/v1/webhook/secret?id=${id}`)).body).toEqual(before.body);
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
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => rotate(id, { overlap_seconds: 600 })),
      );
      const done = answers.filter(({ status }) => status === 200);
      expect(answers.map(({ status }) => status).sort()).toEqual([
        ...Array(4).fill(200),
        ...Array(4).fill(409),
      ]);
      const request = await sent(id);
      expect(signaturesOf(request)).toHaveLength(5);
      for (const secret of [first, ...done.map(({ body }) => body.secret)])
        expect(verifies(request, secret)).toBe(true);
      const { secret } = (await service.call('GET', `/v1/webhook/secret?id=${id}`)).body;
      expect(isSignedAt(0, request, secret)).toBe(true);
    }
  });

  it('sign a retry if they are current at the time of the retry', async () => {
    const { id, secret: old } = await createWebhook(service, {
      url: receiver.url,
      user_id: newUser(),
    });
    receiver.respondWith([{ status: 500 }, {}]);
    const { body } = await service.call('POST', '/v1/webhook/test', { id });
    await receiver.waitFor(1);
    const { secret } = await rotated(id, 0);
    await until(async () => {
      const found = await service.call('GET', `/v1/webhook/trigger?id=${body.id}`);
      return found.body.status === 'PENDING';
    });
    await service.call('POST', '/v1/webhook/trigger/retry', { id: body.id });
    const [, again] = (await receiver.waitFor(2)) as [ReceivedRequest, ReceivedRequest];
    expect([verifies(again, secret), verifies(again, old)]).toEqual([true, false]);
  });

  it('are encrypted in the database, including the previous one', async () => {
    const { id, secret } = await createWebhook(service);
    await rotated(id, 60);
    const [row] = await service.app
      .get(DataSource)
      .query('SELECT sealed_secret, sealed_previous_secrets FROM webhook WHERE id = ?', [id]);
    expect(row).toEqual({
      sealed_secret: expect.stringMatching(/^test\.[\w-]+$/),
      sealed_previous_secrets: expect.stringMatching(/^test\.[\w-]+$/),
    });
    expect(JSON.stringify(row)).not.toContain(secret.slice('whsec_'.length));
  });

  it('can be rotated only by their owner with the scope', async () => {
    const user = newUser();
    const { id, secret } = await createWebhook(service, { user_id: user });
    expectProblem(await rotate(NO_ID), 404, 'not_found');
    const others = await service.keyFor(newUser(), 'webhooks:write');
    expectProblem(await rotate(id, {}, others), 404, 'not_found');
    const reader = await service.keyFor(user, 'webhooks:read', 'notifications:write');
    expectProblem(await rotate(id, {}, reader), 403, 'forbidden');
    expect((await service.call('GET', `/v1/webhook/secret?id=${id}`)).body).toEqual({ secret });
    const writer = await service.keyFor(user, 'webhooks:write');
    expect(await rotate(id, {}, writer)).toMatchObject({ status: 200 });
  });

  it.each([-1, 604_801, 1.5, '60', null])('cannot overlap for %j seconds', async (overlap_seconds) => {
    const { id } = await createWebhook(service);
    const answer = await rotate(id, { overlap_seconds });
    expectProblem(answer, 400, 'validation_failed', ['/overlap_seconds']);
  });

  it('overlap for a week at most, and are rotated only with valid fields', async () => {
    const { id } = await createWebhook(service);
    expect(await rotate(id, { overlap_seconds: 604_800 })).toMatchObject({ status: 200 });
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
