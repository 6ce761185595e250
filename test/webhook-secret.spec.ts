import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { systemClock } from '../src/common/clock.js';
import { createWebhook, DATE_TIME, expectProblem, NO_ID } from './support/api.js';
import { moveClock } from './support/clock.js';
import { databases, type TestDatabase } from './support/databases.js';
import { type ReceivedRequest, type Receiver, startReceiver } from './support/receiver.js';
import { newUser } from './support/scene.js';
import { startService, type TestService } from './support/service.js';
import { until } from './support/until.js';

const DAY_SECONDS = 86_400;
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

const signaturesOf = ({ headers }: ReceivedRequest) => String(headers['webhook-signature']).split(' ');

/** Whether a receiver that knows this secret takes the request, by the library that Standard Webhooks publishes. */
function verifies({ headers, body }: ReceivedRequest, secret: string): boolean {
  try {
    new Webhook(secret).verify(body.toString(), headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

/** Whether the signature at this place alone is made with the secret. */
function isSignedAt(place: number, request: ReceivedRequest, secret: string): boolean {
  const headers = { ...request.headers, 'webhook-signature': signaturesOf(request)[place] };
  return verifies({ ...request, headers }, secret);
}

describe.each(databases)('signing secrets on $name', (kind) => {
  let database: TestDatabase;
  let service: TestService;
  let receiver: Receiver;

  beforeAll(async () => {
    database = await kind.create();
    service = await startService(database.url);
  });
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const rotate = (id: string, more: object = {}, key?: string) =>
    service.call('POST', '/v1/webhook/secret/rotate', { id, ...more }, key ? { key } : {});

  async function rotated(id: string, overlap_seconds: number) {
    const answer = await rotate(id, { overlap_seconds });
    expect(answer).toMatchObject({ status: 200, body: { secret: expect.stringMatching(SECRET) } });
    return answer.body;
  }

  /** What the receiver gets next. */
  async function sent(id: string, by = service): Promise<ReceivedRequest> {
    const before = receiver.requests.length;
    expect(await by.call('POST', '/v1/webhook/test', { id })).toMatchObject({ status: 202 });
    return (await receiver.waitFor(before + 1))[before] as ReceivedRequest;
  }

  it('are shown when they are rotated, for a day beside the previous one', async () => {
    const { id, secret } = await createWebhook(service);
    const before = systemClock.now();
    const answer = await rotate(id);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        secret: expect.stringMatching(SECRET),
        previous_expires_at: expect.stringMatching(DATE_TIME),
      },
    });
    expect(Object.keys(answer.body)).toEqual(['secret', 'previous_expires_at']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const overlapMs = Date.parse(answer.body.previous_expires_at) - before;
    expect(overlapMs).toBeGreaterThanOrEqual(DAY_SECONDS * 1000);
    expect(overlapMs).toBeLessThan(DAY_SECONDS * 1000 + 5000);
    expect(answer.body.secret).not.toBe(secret);
    const shown = await service.call('GET', `/v1/webhook/secret?id=${id}`);
    expect(shown.body).toEqual({ secret: answer.body.secret });
  });

  it('both sign until the previous one expires, the new one first', async () => {
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

  it('are replaced at once where there is to be no overlap', async () => {
    const { id, secret: old } = await createWebhook(service, { url: receiver.url });
    expect(verifies(await sent(id), old)).toBe(true);
    const { secret, previous_expires_at } = await rotated(id, 0);
    expect(previous_expires_at).toBeNull();
    const request = await sent(id);
    expect(signaturesOf(request)).toHaveLength(1);
    expect([verifies(request, secret), verifies(request, old)]).toEqual([true, false]);
  });

  it('are never more than the last two', async () => {
    const { id, secret: first } = await createWebhook(service, { url: receiver.url });
    const { secret: second } = await rotated(id, 600);
    const { secret: third } = await rotated(id, 600);
    const request = await sent(id);
    expect([first, second, third].map((secret) => verifies(request, secret))).toEqual([false, true, true]);
    const { secret: fourth } = await rotated(id, 0);
    const last = await sent(id);
    expect([second, third, fourth].map((secret) => verifies(last, secret))).toEqual([false, false, true]);
  });

  it('stay two when they are rotated at the same time', async () => {
    const { id, secret: first } = await createWebhook(service, { url: receiver.url });
    let before = first;
    for (const _ of [1, 2, 3, 4, 5]) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => rotated(id, 600)));
      const request = await sent(id);
      const signing = answers.filter(({ secret }) => verifies(request, secret));
      expect([signing.length, verifies(request, before)]).toEqual([2, false]);
      const { secret } = (await service.call('GET', `/v1/webhook/secret?id=${id}`)).body;
      expect(isSignedAt(0, request, secret)).toBe(true);
      before = secret;
    }
  });

  it('sign what is tried again as they are by then', async () => {
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

  it('are encrypted in the database, the previous one too', async () => {
    const { id, secret } = await createWebhook(service);
    await rotated(id, 60);
    const [row] = await service.app
      .get(DataSource)
      .query('SELECT sealed_secret, sealed_previous_secret FROM webhook WHERE id = ?', [id]);
    expect(row).toEqual({
      sealed_secret: expect.stringMatching(/^test\.[\w-]+$/),
      sealed_previous_secret: expect.stringMatching(/^test\.[\w-]+$/),
    });
    expect(JSON.stringify(row)).not.toContain(secret.slice('whsec_'.length));
  });

  it('are for their owner with the scope', async () => {
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

  it.each([-1, 604_801, 1.5, '60', null])('overlap for no such time: %j', async (overlap_seconds) => {
    const { id } = await createWebhook(service);
    const answer = await rotate(id, { overlap_seconds });
    expectProblem(answer, 400, 'validation_failed', ['/overlap_seconds']);
  });

  it('overlap for a week at the most, and by nothing unknown', async () => {
    const { id } = await createWebhook(service);
    expect(await rotate(id, { overlap_seconds: 604_800 })).toMatchObject({ status: 200 });
    expectProblem(await rotate('x', { secret: 'x' }), 400, 'validation_failed', ['/id', '/secret']);
  });

  if (kind.name === 'MariaDB') {
    it('are the new ones in another process within a second', async () => {
      const other = await startService(database.url, { ROLE: 'api' });
      const { id, secret: old } = await createWebhook(service, { url: receiver.url });
      expect(verifies(await sent(id), old)).toBe(true);
      const answer = await other.call('POST', '/v1/webhook/secret/rotate', { id, overlap_seconds: 0 });
      const rotatedAt = Date.now();
      await until(async () => verifies(await sent(id), answer.body.secret));
      expect(Date.now() - rotatedAt).toBeLessThan(3000);
      await other.stop();
    });
  }
});
