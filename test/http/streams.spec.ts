import { afterEach, describe, expect, it } from '@jest/globals';
import { ApiKeyService } from '../../src/auth/api-key.service.js';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { hurry } from '../support/hurry.js';
import { newUser } from '../support/scene.js';
import { type StreamReader, useStreams } from '../support/stream.js';
import { until } from '../support/until.js';

const TRIGGERS = '/v1/webhook/trigger/stream';
const NOTIFICATIONS = '/v1/notification/stream';
const MANY = 200;

describe.each(databases)('streams on $name', (kind) => {
  const service = useService(kind);
  const open = useStreams();
  let undo = () => {};
  afterEach(() => undo());

  const keyOf = (user: string) => service.keyFor(user, 'webhooks:read');
  /** Places that were given up may still be taken for a moment. */
  const follow = (key: string, path = TRIGGERS): Promise<StreamReader> =>
    until(() => open(service.url + path, { key }).catch(() => null));

  it('are for those who may read', async () => {
    for (const path of [TRIGGERS, NOTIFICATIONS]) {
      expectProblem(await service.call('GET', path, undefined, { key: null }), 401, 'unauthenticated');
      const key = await service.keyFor(newUser(), 'notifications:write', 'webhooks:write');
      expectProblem(await service.call('GET', path, undefined, { key }), 403, 'forbidden');
    }
  });

  it('are 10 for a user at most, and a place comes free', async () => {
    const key = await keyOf(newUser());
    const mine = await Promise.all(
      Array.from({ length: 10 }, (_, i) => follow(key, i % 2 ? TRIGGERS : NOTIFICATIONS)),
    );
    const answer = await service.call('GET', TRIGGERS, undefined, { key });
    expectProblem(answer, 429, 'too_many_streams');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    mine[3]?.close();
    await follow(key);
    expectProblem(await service.call('GET', TRIGGERS, undefined, { key }), 429, 'too_many_streams');
  });

  it('are 200 for the process at most', async () => {
    const keys = await Promise.all(Array.from({ length: MANY / 10 }, () => keyOf(newUser())));
    for (const key of keys) for (let i = 0; i < 10; i++) await follow(key);
    const key = await keyOf(newUser());
    expectProblem(await service.call('GET', TRIGGERS, undefined, { key }), 429, 'too_many_streams');
  });

  it('show that they are alive, and where they stand', async () => {
    undo = hurry();
    const stream = await follow(await keyOf(newUser()));
    await until(() => stream.comments >= 4);
    expect(stream.lastId).toMatch(/^[\w-]{48}$/);
  });

  it('end when the key is deleted', async () => {
    undo = hurry();
    const keys = service.get(ApiKeyService);
    const { id, key } = await keys.create({ userId: newUser(), scopes: ['webhooks:read'] });
    const [stream, other] = [await follow(key), await follow(await keyOf(newUser()))];
    await keys.delete(id);
    await until(() => stream.isOver);
    expect(other.isOver).toBe(false);
  });

  it('take a session of this origin only, and end with it', async () => {
    undo = hurry();
    const keys = service.get(ApiKeyService);
    const { id, key } = await keys.create({ userId: newUser(), scopes: ['webhooks:read'] });
    const session = await service.call('POST', '/v1/session', { key }, { key: null });
    const cookie = String(session.headers.get('set-cookie')).split(';')[0] as string;
    const foreign = { key: null, headers: { cookie, 'sec-fetch-site': 'cross-site' } };
    expectProblem(await service.call('GET', TRIGGERS, undefined, foreign), 403, 'cross_site');
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const stream = await open(service.url + TRIGGERS, { key: '', headers });
    await keys.delete(id);
    await until(() => stream.isOver);
  });

  it('note changes for as long as anybody watches, and some minutes more', async () => {
    await follow(await keyOf(newUser()));
    const [watch] = await service.query('SELECT expires_at FROM webhook_watch');
    const left = Number(watch.expires_at) - Date.now();
    expect(left).toBeGreaterThan(4 * 60_000);
    expect(left).toBeLessThan(6 * 60_000);
  });
});
