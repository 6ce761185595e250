import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { useProbing, WELL } from './scene.js';

describe.each(databases)('the owner of a webhook that is probed, on $name', (kind) => {
  const scene = useProbing(kind);
  const { service, receiver, comes, patch, disabled, enabled, probed, arriving, staySilent } = scene;
  const { failing, idsAt, webhookOf, triggersOf, recoveriesOf } = scene;

  it('has it probed only with the setting, which may come later', async () => {
    const mine = await failing({ auto_recover: null });
    await disabled(mine);
    receiver.respondWith(mine.path, WELL);
    await staySilent(mine);
    expect((await webhookOf(mine)).enabled).toBe(false);
    await patch(mine, { settings: { auto_recover: true } });
    await enabled(mine);
    expect(await recoveriesOf(mine)).toHaveLength(1);
  });

  it('ends it by taking the setting back, or by enabling, disabling or deleting the webhook', async () => {
    const all = [await failing(), await failing(), await failing(), await failing()];
    const [unset, on, off, deleted] = all;
    for (const one of all) await disabled(one);
    await probed(unset);
    await patch(unset, { settings: null });
    await patch(on, { enabled: true });
    await patch(off, { enabled: false });
    await service.call('DELETE', `/v1/webhook?id=${deleted.id}`);
    for (const { path } of all) receiver.respondWith(path, WELL);
    await staySilent(...all);
    expect(await webhookOf(unset)).toMatchObject({ enabled: false, disabled_reason: 'failing' });
    expect(await webhookOf(on)).toMatchObject({ enabled: true, disabled_reason: null });
    expect(await webhookOf(off)).toMatchObject({ enabled: false, disabled_reason: null });
    for (const one of all) expect(await recoveriesOf(one)).toEqual([]);
  });

  it('is asked no more once the receiver answers a probe with 410', async () => {
    const mine = await failing();
    await disabled(mine);
    receiver.respondWith(mine.path, { status: 410 });
    await comes(async () => (await webhookOf(mine)).disabled_reason === 'gone');
    receiver.respondWith(mine.path, WELL);
    await staySilent(mine);
    expect(await webhookOf(mine)).toMatchObject({ enabled: false, disabled_reason: 'gone' });
  });

  it('has it disabled even if a probe that was under way succeeds', async () => {
    const mine = await failing();
    await disabled(mine);
    const answer = Promise.withResolvers<void>();
    receiver.respondWith(mine.path, { ...WELL, after: answer.promise });
    await probed(mine);
    await patch(mine, { enabled: false });
    answer.resolve();
    await until(async () => (await triggersOf(mine)).some(({ status }) => status === 'SUCCEEDED'));
    await staySilent(mine);
    expect(await webhookOf(mine)).toMatchObject({ enabled: false, disabled_reason: null });
    expect(await recoveriesOf(mine)).toEqual([]);
  });

  it('gets nothing else of an ordered record while a probe is under way', async () => {
    const mine = await failing({ ordering: 'record', retry_schedule_seconds: [0] });
    await disabled(mine);
    const answer = Promise.withResolvers<void>();
    receiver.respondWith(mine.path, { ...WELL, after: answer.promise });
    await probed(mine);
    await patch(mine, { enabled: true });
    receiver.respondWith(mine.path, WELL);
    const before = receiver.at(mine.path).length;
    const next = await notify(service, mine.user_id);
    const other = await notify(service, mine.user_id, { record: { id: 'other', analysis: [] } });
    await arriving(mine, [other.body.id], before);
    expect(idsAt(mine, before)).toEqual([other.body.id]);
    answer.resolve();
    await arriving(mine, [next.body.id], before);
  });

  it('has it probed at its new URL', async () => {
    const mine = await failing();
    const ids = await disabled(mine);
    const path = `${mine.path}-moved`;
    receiver.respondWith(path, WELL);
    await patch(mine, { url: receiver.url + path });
    await enabled(mine);
    await arriving({ path }, ids);
  });
});
