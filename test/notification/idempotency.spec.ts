import { describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useSharing } from '../support/fixture.js';
import type { TestService } from '../support/service.js';

const webhook = { name: 'once', url: 'http://127.0.0.1:49151/hook', events: ['RECORD_FINISHED'] };
const report = (userId: string, id = 'rec_1') => ({
  event_kind: 'RECORD_FINISHED',
  user_id: userId,
  record: { id, analysis: [] },
});
const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });

describe.each(databases)('Idempotency-Key on $name', (kind) => {
  const services = useSharing(kind);
  const [service] = services;

  it('repeats the first answer without creating a second notification', async () => {
    await service.call('POST', '/v1/webhook', { ...webhook, user_id: 'again' });
    const first = await service.call('POST', '/v1/notification', report('again'), withKey('n-1'));
    const second = await service.call('POST', '/v1/notification', report('again'), withKey('n-1'));
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body).toEqual(first.body);
    expect([first, second].map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([
      null,
      'true',
    ]);
    const { body } = await service.call('GET', '/v1/webhook/trigger/list?user_id=again');
    expect(body.data).toHaveLength(1);
  });

  it('repeats the answer with the webhook and its secret', async () => {
    const first = await service.call('POST', '/v1/webhook', { ...webhook, user_id: 'same' }, withKey('w-1'));
    await service.call('PATCH', '/v1/webhook', { id: first.body.id, name: 'changed since' });
    const second = await service.call('POST', '/v1/webhook', { ...webhook, user_id: 'same' }, withKey('w-1'));
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const { body } = await service.call('GET', '/v1/webhook/list?user_id=same');
    expect(body.data).toHaveLength(1);
  });

  it.each([
    ['/v1/notification', () => report('reuse', 'a'), () => report('reuse', 'b')],
    ['/v1/webhook', () => ({ ...webhook, name: 'a' }), () => ({ ...webhook, name: 'b' })],
  ])('refuses another body under the same key: %s', async (path, body, other) => {
    await service.call('POST', path, body(), withKey('reused'));
    const answer = await service.call('POST', path, other(), withKey('reused'));
    expect(answer).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });

  it('keeps the keys of users apart', async () => {
    const keys = [
      await service.keyFor('u1', 'notifications:write'),
      await service.keyFor('u2', 'notifications:write'),
    ];
    const ids = [];
    for (const key of keys) {
      const answer = await service.call('POST', '/v1/notification', report('x'), {
        key,
        ...withKey('mine'),
      });
      ids.push(answer.body.id);
    }
    expect(new Set(ids).size).toBe(2);
  });

  it('forgets a call that failed', async () => {
    const bad = await service.call(
      'POST',
      '/v1/notification',
      { ...report('f'), record: 1 },
      withKey('failed'),
    );
    const good = await service.call('POST', '/v1/notification', report('f'), withKey('failed'));
    expect([bad.status, good.status]).toEqual([400, 202]);
  });

  it('forgets a key after a day', async () => {
    const first = await service.call('POST', '/v1/notification', report('day'), withKey('day'));
    const { DataSource } = await import('typeorm');
    const dataSource = service.app.get(DataSource);
    await dataSource.query(
      'UPDATE webhook_idempotency SET created_at = created_at - 86400001 WHERE subject_id = ?',
      [first.body.id],
    );
    const later = await service.call('POST', '/v1/notification', report('day', 'other'), withKey('day'));
    expect(later.status).toBe(202);
    expect(later.body.id).not.toBe(first.body.id);
  });

  it.each(['', 'ü', 'x'.repeat(256)])('refuses the invalid key %j', async (key) => {
    const options = { headers: { 'idempotency-key': Buffer.from(key).toString('latin1') } };
    const answer = await service.call('POST', '/v1/notification', report('bad'), options);
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });

  it('has one effect, however many calls arrive at once on several instances', async () => {
    await service.call('POST', '/v1/webhook', { ...webhook, user_id: 'race' });
    for (const round of ['r1', 'r2', 'r3', 'r4', 'r5']) {
      const calls = Array.from({ length: 20 }, (_, i) =>
        (services[i % services.length] as TestService).call(
          'POST',
          '/v1/notification',
          report('race'),
          withKey(round),
        ),
      );
      const answers = await Promise.all(calls);
      expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true);
      const accepted = answers.filter(({ status }) => status === 202);
      expect(new Set(accepted.map(({ body }) => body.id)).size).toBe(1);
    }
    const { body } = await service.call('GET', '/v1/webhook/trigger/list?user_id=race&limit=100');
    expect(body.data).toHaveLength(5);
  });
});
