import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import {
  failing,
  idsAt,
  recoveriesOf,
  requestsAt,
  triggersOf,
  useProbing,
  WELL,
  webhookOf,
} from './scene.js';

describe.each(databases)('the owner of a webhook that is probed, on $name', (kind) => {
  const { service, receiver, comes, disabled, enabled, requests, arriving, staySilent } = useProbing(kind);

  const patch = (id: string, change: object) => service.call('PATCH', '/v1/webhook', { id, ...change });

  it('has it probed only with the setting, which may come later', async () => {
    const mine = await failing(service, receiver, newUser(), { auto_recover: null });
    await disabled(mine);
    receiver.respondWith(mine.path, WELL);
    await staySilent(mine);
    expect((await webhookOf(service, mine)).enabled).toBe(false);
    await patch(mine.id, { settings: { auto_recover: true } });
    await enabled(mine);
    expect(await recoveriesOf(service, mine)).toHaveLength(1);
  });

  it('ends it by taking the setting back', async () => {
    const mine = await failing(service, receiver, newUser());
    await disabled(mine);
    await requests(mine, 1);
    await patch(mine.id, { settings: null });
    receiver.respondWith(mine.path, WELL);
    await staySilent(mine);
    expect(await webhookOf(service, mine)).toMatchObject({ enabled: false, disabled_reason: 'failing' });
    expect(await recoveriesOf(service, mine)).toEqual([]);
  });

  it('is asked no more once the receiver answers a probe with 410', async () => {
    const mine = await failing(service, receiver, newUser());
    await disabled(mine);
    receiver.respondWith(mine.path, { status: 410 });
    await comes(async () => (await webhookOf(service, mine)).disabled_reason === 'gone');
    receiver.respondWith(mine.path, WELL);
    await staySilent(mine);
    expect(await webhookOf(service, mine)).toMatchObject({ enabled: false, disabled_reason: 'gone' });
  });

  it('ends it by enabling, disabling or deleting the webhook', async () => {
    const [on, off, deleted] = [
      await failing(service, receiver, newUser()),
      await failing(service, receiver, newUser()),
      await failing(service, receiver, newUser()),
    ];
    for (const one of [on, off, deleted]) await disabled(one);
    await patch(on.id, { enabled: true });
    await patch(off.id, { enabled: false });
    await service.call('DELETE', `/v1/webhook?id=${deleted.id}`);
    for (const one of [on, off, deleted]) receiver.respondWith(one.path, WELL);
    await staySilent(on, off, deleted);
    expect(await webhookOf(service, on)).toMatchObject({ enabled: true, disabled_reason: null });
    expect(await webhookOf(service, off)).toMatchObject({ enabled: false, disabled_reason: null });
    for (const one of [on, off, deleted]) expect(await recoveriesOf(service, one)).toEqual([]);
  });

  it('has it disabled even if a probe that was under way succeeds', async () => {
    const mine = await failing(service, receiver, newUser());
    await disabled(mine);
    const answer = Promise.withResolvers<void>();
    receiver.respondWith(mine.path, { status: 200, after: answer.promise });
    await requests(mine, 1);
    await patch(mine.id, { enabled: false });
    answer.resolve();
    await until(async () => (await triggersOf(service, mine)).some(({ status }) => status === 'SUCCEEDED'));
    await staySilent(mine);
    expect(await webhookOf(service, mine)).toMatchObject({ enabled: false, disabled_reason: null });
    expect(await recoveriesOf(service, mine)).toEqual([]);
  });

  it('gets nothing else of an ordered record while a probe is under way', async () => {
    const mine = await failing(service, receiver, newUser(), {
      ordering: 'record',
      retry_schedule_seconds: [0],
    });
    await disabled(mine);
    const answer = Promise.withResolvers<void>();
    receiver.respondWith(mine.path, { status: 200, after: answer.promise });
    await requests(mine, 1);
    await patch(mine.id, { enabled: true });
    receiver.respondWith(mine.path, WELL);
    const before = requestsAt(receiver, mine).length;
    const next = await notify(service, mine.user_id);
    const other = await notify(service, mine.user_id, { record: { id: 'other', analysis: [] } });
    await arriving(mine, [other.body.id], before);
    expect(idsAt(receiver, mine).slice(before)).toEqual([other.body.id]);
    answer.resolve();
    await arriving(mine, [next.body.id], before);
  });

  it('has it probed at its new URL', async () => {
    const mine = await failing(service, receiver, newUser());
    const ids = await disabled(mine);
    const path = `${mine.path}-moved`;
    receiver.respondWith(path, WELL);
    await patch(mine.id, { url: receiver.url + path });
    await enabled(mine);
    await arriving({ path }, ids);
  });
});
