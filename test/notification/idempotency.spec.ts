import { describe, expect, it } from '@jest/globals';
import { IdempotencyRepository } from '../../src/idempotency/idempotency.repository.js';
import { Database } from '../../src/store/database.js';
import { databases } from '../support/databases.js';
import { useDatabase, useSharing } from '../support/fixture.js';
import type { TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe.each(databases)('Idempotency-Key on $name', (kind) => {
  const services = useSharing(kind);
  const [service] = services;

  const post = (path: string, body: object, key: string, caller: TestService = service) =>
    caller.call('POST', path, body, { headers: { 'idempotency-key': key } });
  const create = (key: string, fields: object) => post('/v1/webhook', webhookBody(fields), key);
  const body = (userId: string, recordId = 'rec_1') => {
    const record = { id: recordId, analysis: [] };
    return { event_kind: 'RECORD_FINISHED', user_id: userId, record };
  };
  const report = (key: string, userId: string, recordId?: string) =>
    post('/v1/notification', body(userId, recordId), key);

  it('repeats the first answer without creating a second notification', async () => {
    await createWebhook(service, { user_id: 'again' });
    const answers = [await report('n-1', 'again'), await report('n-1', 'again')] as const;
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(answers[1].body).toEqual(answers[0].body);
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    for (const path of ['/v1/notification/list', '/v1/webhook/trigger/list'])
      expect((await service.call('GET', `${path}?user_id=again`)).body.data).toHaveLength(1);
  });

  it('repeats the answer with the webhook and its secret', async () => {
    const first = await create('w-1', { user_id: 'same' });
    await service.call('PATCH', '/v1/webhook', { id: first.body.id, name: 'changed since' });
    const second = await create('w-1', { user_id: 'same' });
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const list = await service.call('GET', '/v1/webhook/list?user_id=same');
    expect(list.body.data).toHaveLength(1);
  });

  it.each<[string, (name: string) => Promise<{ status: number; body: unknown }>]>([
    ['/v1/notification', (name) => report('reused', 'reuse', name)],
    ['/v1/webhook', (name) => create('reused', { name })],
  ])('refuses another body under the same key: %s', async (_path, call) => {
    await call('a');
    expect(await call('b')).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });

  it('keeps the keys of users apart', async () => {
    const ids = new Set<string>();
    for (const user of ['u1', 'u2']) {
      const options = {
        key: await service.keyFor(user, 'notifications:write'),
        headers: { 'idempotency-key': 'mine' },
      };
      ids.add((await service.call('POST', '/v1/notification', body('x'), options)).body.id);
    }
    expect(ids.size).toBe(2);
  });

  it('forgets a call that failed', async () => {
    const bad = await post('/v1/notification', { ...body('f'), record: 1 }, 'failed');
    const good = await report('failed', 'f');
    expect([bad.status, good.status]).toEqual([400, 202]);
  });

  it('forgets a key after a day', async () => {
    const first = await report('day', 'day');
    const later = 'UPDATE webhook_idempotency SET created_at = created_at - ? WHERE subject_id = ?';
    await service.query(later, [DAY_MS + 1, first.body.id]);
    const next = await report('day', 'day', 'other');
    expect(next.status).toBe(202);
    expect(next.body.id).not.toBe(first.body.id);
  });

  it.each(['', 'ü', 'x'.repeat(256)])('refuses the invalid key %j', async (key) => {
    const answer = await report(Buffer.from(key).toString('latin1'), 'bad');
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });

  it('has one effect, however many calls arrive at once on several instances', async () => {
    await createWebhook(service, { user_id: 'race' });
    for (const round of ['r1', 'r2', 'r3', 'r4', 'r5']) {
      const calls = Array.from({ length: 20 }, (_, i) =>
        post('/v1/notification', body('race'), round, services[i % services.length]),
      );
      const answers = await Promise.all(calls);
      expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true);
      const accepted = answers.filter(({ status }) => status === 202);
      expect(new Set(accepted.map((answer) => answer.body.id)).size).toBe(1);
    }
    const list = await service.call('GET', '/v1/webhook/trigger/list?user_id=race&limit=100');
    expect(list.body.data).toHaveLength(5);
  });
});

describe.each(databases)('old idempotency keys on $name', (kind) => {
  const database = useDatabase(kind);

  it('are deleted in batches by an instance that delivers, and recent ones are kept', async () => {
    const old = 5000;
    const service = await database.start({ ROLE: 'api' });
    const now = Date.now();
    const rows = Array.from({ length: old + 1 }, (_, at) => [
      at.toString(16).padStart(64, '0'),
      ...['r', 's', at === old ? now : now - DAY_MS - 1 - at],
    ]);
    const columns = ['hash', 'request_hash', 'subject_id', 'created_at'];
    await service.get(Database).writeTogether([{ table: 'webhook_idempotency', columns, rows }]);
    const left = async (of: TestService) =>
      Number((await of.query('SELECT COUNT(*) AS n FROM webhook_idempotency'))[0].n);
    expect(await service.get(IdempotencyRepository).purgeSome(now)).toBe(true);
    expect(await left(service)).toBe(old - 500 + 1);
    await service.stop();
    const next = await database.start();
    await until(async () => (await left(next)) === 1, { what: 'the end of all old keys' });
  });
});
