import { beforeAll, describe, expect, it } from '@jest/globals';
import { DueRepository } from '../../src/engine/dispatch/due.repository.js';
import { urgentFrom } from '../../src/engine/ledger/due-time.js';
import { BacklogRepository } from '../../src/engine/report/backlog.repository.js';
import { LeftoverRepository } from '../../src/retention/leftover.repository.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { attempted, newUser, notifyTimes, trigger } from '../support/scene.js';
import type { TestService } from '../support/service.js';
import { createWebhook } from '../support/webhook.js';

const HOUR_MS = 3_600_000;

/** Nobody sends, as while a receiver is paused. */
describe.each(databases)('what was asked for by hand and waits, on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' });
  let webhookId: string;
  let ids: string[];
  let asked: { from: number; to: number };

  beforeAll(async () => {
    const user = newUser();
    ({ id: webhookId } = await createWebhook(service, { user_id: user }));
    ids = await Promise.all([1, 2, 3].map(() => trigger(service, user)));
    await service.query('UPDATE webhook_trigger SET next_attempt_at = ?', [Date.now() + HOUR_MS]);
    const from = Date.now();
    await service.call('POST', '/v1/webhook/trigger/retry', { ids: ids.slice(0, 2) });
    asked = { from, to: Date.now() };
  });

  const expectAsked = (time: number | null) => {
    expect(time).toBeGreaterThanOrEqual(asked.from);
    expect(time).toBeLessThanOrEqual(asked.to);
  };

  it('shows when it is due, as it is', async () => {
    const { body } = await service.call('GET', `/v1/webhook/trigger?id=${ids[0]}`);
    expectAsked(Date.parse(body.next_attempt_at));
    const { body: list } = await service.call('GET', `/v1/webhook/trigger/list?webhook_id=${webhookId}`);
    const found = list.data.find(({ id }: { id: string }) => id === ids[1]);
    expectAsked(Date.parse(found.next_attempt_at));
  });

  it('counts as due since it was asked for', async () => {
    const { due, oldestDueAt } = await service.get(BacklogRepository).read(Date.now());
    expect(due).toBe(2);
    expectAsked(oldestDueAt);
  });

  it('counts behind what is due for longer', async () => {
    const at = asked.from - HOUR_MS;
    const set = (time: number) =>
      service.query('UPDATE webhook_trigger SET next_attempt_at = ? WHERE id = ?', [time, ids[2]]);
    await set(at);
    expect(await service.get(BacklogRepository).read(Date.now())).toEqual({ due: 3, oldestDueAt: at });
    // Of those that were asked for, too, it is the one that has waited for longest.
    await set(urgentFrom(at));
    expect(await service.get(BacklogRepository).read(Date.now())).toEqual({ due: 3, oldestDueAt: at });
    await set(Date.now() + HOUR_MS);
  });

  it('makes the queue late when it is, and stands in no scan of the others', async () => {
    expect(await service.get(LeftoverRepository).load(asked.from - 1)).toMatchObject({ isLate: false });
    expect(await service.get(LeftoverRepository).load(asked.to)).toMatchObject({ isLate: true });
    expect(await service.get(DueRepository).due(Date.now(), { dueAt: 0, id: '' }, 10)).toEqual([]);
  });

  it('is cancelled with the others when the webhook is disabled', async () => {
    await service.call('PATCH', '/v1/webhook', { id: webhookId, enabled: false });
    const { body } = await service.call('GET', `/v1/webhook/trigger/list?webhook_id=${webhookId}`);
    expect(body.data.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('CANCELLED'));
  });
});

/** The receiver asks to be left alone for longer than a test lasts. */
const BUSY = { status: 503, headers: { 'Retry-After': '3600' } };
const OTHERS = 20;

describe.each(databases)('while a receiver is paused, on $name,', (kind) => {
  const sender = useService(kind, { WEBHOOK_CONCURRENCY: '1' });
  const receiver = useReceiver('test');
  let another: TestService;

  // On SQLite there is no other process.
  const callers = kind.name === 'SQLite' ? ['this'] : ['this', 'another'];
  beforeAll(async () => {
    if (callers.includes('another')) another = await sender.database.start({ ROLE: 'api' });
  });

  it.each(callers.flatMap((caller) => [`a retry by ${caller}`, `a test by ${caller}`]))(
    '%s process is sent at once, as the probe',
    async (what) => {
      const caller = what.endsWith('another') ? another : sender;
      const user = newUser();
      const { id: webhookId } = await createWebhook(sender, { user_id: user, url: receiver.url });
      receiver.respondWith([BUSY, {}]);
      const id = await trigger(sender, user);
      const { notification_id } = await attempted(sender, id);
      await notifyTimes(OTHERS, sender, user);
      const answer = what.startsWith('a test')
        ? await caller.call('POST', '/v1/webhook/test', { id: webhookId })
        : await caller.call('POST', '/v1/webhook/trigger/retry', { id });
      expect(answer.status).toBe(202);
      // Its success releases the others.
      const [, probe, ...others] = await receiver.waitFor(2 + OTHERS);
      if (what.startsWith('a test')) expect(String(probe?.body)).toContain('WEBHOOK_TEST');
      else expect(probe?.headers['webhook-id']).toBe(notification_id);
      expect(new Set(others.map(({ headers }) => headers['webhook-id'])).size).toBe(OTHERS);
    },
  );
});
