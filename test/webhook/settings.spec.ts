import { describe, expect, it } from '@jest/globals';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

const DEFAULTS = {
  timeout_ms: 15_000,
  retry_schedule_seconds: [5, 300, 1800, 7200, 18_000, 36_000, 36_000],
  concurrency: 10,
  rate_per_second: null,
  ordering: 'none',
  coalesce: false,
  auto_recover: false,
};
const ALL = {
  timeout_ms: 2000,
  retry_schedule_seconds: [0, 0.5, 60],
  concurrency: 3,
  rate_per_second: 0.5,
  ordering: 'record',
  coalesce: true,
  auto_recover: true,
};
const UNSET = Object.fromEntries(Object.keys(ALL).map((name) => [name, null]));

describe.each(databases)('settings of a webhook on $name', (kind) => {
  const service = useService(kind, { RETENTION_DAYS: '60' });
  const patch = (id: string, settings: unknown) => service.call('PATCH', '/v1/webhook', { id, settings });

  it('are those of the service unless set, and answered as set and as obeyed, wherever a webhook is', async () => {
    expect(await createWebhook(service)).toMatchObject({ settings: UNSET, effective_settings: DEFAULTS });
    const user_id = newUser();
    const created = await createWebhook(service, { user_id, settings: ALL });
    expect(created).toMatchObject({ settings: ALL, effective_settings: ALL });
    const found = await service.call('GET', `/v1/webhook?id=${created.id}`);
    expect(found.body).toMatchObject({ settings: ALL, effective_settings: ALL });
    const list = await service.call('GET', `/v1/webhook/list?user_id=${user_id}`);
    expect(list.body.data[0]).toMatchObject({ settings: ALL, effective_settings: ALL });
  });

  it('are merged by an update: null resets one, or all', async () => {
    const { id } = await createWebhook(service, { settings: { timeout_ms: 2000, concurrency: 3 } });
    const merged = await patch(id, { timeout_ms: null, rate_per_second: 10 });
    expect(merged).toMatchObject({ status: 200 });
    const settings = { ...UNSET, concurrency: 3, rate_per_second: 10 };
    const effective_settings = { ...DEFAULTS, concurrency: 3, rate_per_second: 10 };
    expect(merged.body).toMatchObject({ settings, effective_settings });
    expect((await patch(id, {})).body.settings).toEqual(settings);
    const other = await service.call('PATCH', '/v1/webhook', { id, name: 'Renamed' });
    expect(other.body.settings).toEqual(settings);
    expect((await patch(id, null)).body).toMatchObject({ settings: UNSET, effective_settings: DEFAULTS });
  });

  it('are made so by PUT, which resets what it does not name', async () => {
    const uid = newUser();
    const put = async (fields: object) =>
      (await service.call('PUT', '/v1/webhook', webhookBody({ uid, ...fields }))).body;
    await put({ settings: { concurrency: 2 } });
    const again = await put({ settings: { timeout_ms: 1000 } });
    expect(again.settings).toEqual({ ...UNSET, timeout_ms: 1000 });
    expect((await put({ settings: { timeout_ms: 1000 } })).updated_at).toBe(again.updated_at);
    expect((await put({})).settings).toEqual(UNSET);
  });

  it('names each wrong one', async () => {
    const wrong: [settings: unknown, pointers: string[]][] = [
      [5, ['/settings']],
      [[], ['/settings']],
      [{ timeout_ms: 999 }, ['/settings/timeout_ms']],
      [{ timeout_ms: 30_001, concurrency: 0 }, ['/settings/timeout_ms', '/settings/concurrency']],
      [{ concurrency: 1001 }, ['/settings/concurrency']],
      [{ concurrency: 1.5 }, ['/settings/concurrency']],
      [{ concurrency: '5' }, ['/settings/concurrency']],
      [{ rate_per_second: 0 }, ['/settings/rate_per_second']],
      [{ rate_per_second: 10_001 }, ['/settings/rate_per_second']],
      [{ retry_schedule_seconds: [] }, ['/settings/retry_schedule_seconds']],
      [{ retry_schedule_seconds: 5 }, ['/settings/retry_schedule_seconds']],
      [{ retry_schedule_seconds: [1, -1] }, ['/settings/retry_schedule_seconds/1']],
      [{ retry_schedule_seconds: [604_801] }, ['/settings/retry_schedule_seconds/0']],
      [{ retry_schedule_seconds: Array(51).fill(1) }, ['/settings/retry_schedule_seconds']],
      [{ ordering: 'webhook', coalesce: 'yes' }, ['/settings/ordering', '/settings/coalesce']],
      [{ auto_recover: 1 }, ['/settings/auto_recover']],
      [{ auto_recover: 'true' }, ['/settings/auto_recover']],
      [{ timeoutMs: 2000 }, ['/settings/timeoutMs']],
      [{ constructor: null, toString: 1 }, ['/settings/constructor', '/settings/toString']],
      [JSON.parse('{"__proto__":{"timeout_ms":2000}}'), ['/settings/__proto__']],
    ];
    const { id } = await createWebhook(service);
    for (const [settings, pointers] of wrong) {
      const created = await service.call('POST', '/v1/webhook', webhookBody({ settings }));
      expectProblem(created, 400, 'validation_failed', pointers);
      expectProblem(await patch(id, settings), 400, 'validation_failed', pointers);
    }
    expect((await service.call('GET', `/v1/webhook?id=${id}`)).body.settings).toEqual(UNSET);
  });

  it('may have been stored by a version with others and within other bounds', async () => {
    const { id } = await createWebhook(service);
    const stored = '{"timeoutMs":40000,"__proto__":{"concurrency":5},"constructor":1}';
    await service.query('UPDATE webhook SET settings = ? WHERE id = ?', [stored, id]);
    const { body } = await patch(id, { rate_per_second: 5 });
    const settings = { ...UNSET, timeout_ms: 40_000, rate_per_second: 5 };
    expect(body).toMatchObject({ settings, unreadable: [] });
    expect(body.effective_settings).toEqual({ ...DEFAULTS, timeout_ms: 40_000, rate_per_second: 5 });
  });

  it('refuses a schedule that is longer than what retention keeps', async () => {
    const week = 604_800;
    const { id } = await createWebhook(service);
    // Bodies are kept for 30 days, and each pause may be 20 % longer.
    expect((await patch(id, { retry_schedule_seconds: Array(3).fill(week) })).status).toBe(200);
    const answer = await patch(id, { retry_schedule_seconds: Array(4).fill(week) });
    expectProblem(answer, 400, 'validation_failed', ['/settings/retry_schedule_seconds']);
    expect(answer.body.errors[0].message).toMatch(/30 days/);
  });
});
