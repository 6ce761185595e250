import { describe, expect, it } from '@jest/globals';
import { QueueSignals } from '../../../src/engine/ledger/queue-signals.js';
import { expectProblem, NO_ID } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { HOUR_MS, iso, recoveriesBy } from './scene.js';

describe.each(databases)('a call to recover, on $name', (kind) => {
  // Nothing is sent, and no recovery carried on.
  const service = useService(kind, { ROLE: 'api' });
  const { count, ended, recover, recovery, rowsOf, stop, store, webhook } = recoveriesBy(service);
  const switched = (id: string, enabled: boolean) => service.call('PATCH', '/v1/webhook', { id, enabled });

  it('leaves out triggers whose event is disabled or deleted', async () => {
    const mine = await webhook();
    const [first, second] = mine.events;
    await store(mine, [Date.now()], { eventId: first.id });
    await store(mine, [Date.now()], { eventId: second.id });
    expect(await count(mine.id)).toBe(2);
    await service.call('PATCH', '/v1/webhook/event', { id: first.id, enabled: false });
    expect(await count(mine.id)).toBe(1);
    await service.call('DELETE', `/v1/webhook/event?id=${second.id}`);
    expect(await count(mine.id)).toBe(0);
    await service.call('PATCH', '/v1/webhook/event', { id: first.id, enabled: true });
    expect(await count(mine.id)).toBe(1);
  });

  it('is refused while the webhook is off, but for a dry run', async () => {
    const user = newUser();
    const mine = await webhook(user);
    for (const _ of [1, 2, 3]) await notify(service, user);
    await switched(mine.id, false);
    expectProblem(await recover(mine.id), 409, 'webhook_disabled');
    expect(await rowsOf(mine.id)).toMatchObject(Array(3).fill({ status: 'CANCELLED' }));
    expect(await count(mine.id)).toBe(3);
    await switched(mine.id, true);
    expect(await recover(mine.id)).toMatchObject({ status: 202, body: { triggers: 3 } });
  });

  it('selects by creation time, including both ends', async () => {
    const mine = await webhook();
    const at = Date.now() - HOUR_MS;
    await store(mine, [at - 1, at, at, at + 5, at + 6]);
    for (const missed of [false, true]) {
      const counted = (more: object) => count(mine.id, { missed, ...more });
      expect(await counted({ since: iso(at), until: iso(at + 5) })).toBe(3);
      expect(await counted({ since: iso(at + 6) })).toBe(1);
      expect(await counted({ since: iso(at + 6), until: iso(at + 6) })).toBe(1);
      expect(await counted({ since: iso(at + 7), until: '9999-12-31T23:59:59Z' })).toBe(0);
      expect(await counted({ until: '9999-12-31T23:59:59.999Z' })).toBe(5);
      expect(await counted({ since: `${iso(at + 2 * HOUR_MS).slice(0, -1)}+02:00` })).toBe(4);
    }
  });

  it('changes nothing on a dry run, also beside a running recovery', async () => {
    const mine = await webhook();
    await store(mine, [Date.now()]);
    const state = async () => [
      await rowsOf(mine.id),
      await service.query('SELECT * FROM webhook_recovery WHERE webhook_id = ?', [mine.id]),
    ];
    const before = await state();
    let signals = 0;
    const unsubscribe = service.get(QueueSignals).subscribe({ recovering: () => signals++ });
    const answer = await recover(mine.id, { dry_run: true, per_second: 7, missed: true });
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ triggers: 1, total: 1, webhook_id: mine.id, per_second: 7 });
    expect(answer.body).toMatchObject({ id: null, state: null, begin: null });
    expect([await state(), signals]).toEqual([before, 0]);
    expect((await recover(mine.id)).body).toMatchObject({ triggers: 1, state: 'RUNNING' });
    expect(signals).toBe(1);
    unsubscribe();
    expect(await count(mine.id)).toBe(1);
  });

  it('answers the recovery, which can be found, listed and stopped', async () => {
    const mine = await webhook();
    const since = iso(Date.now() - HOUR_MS);
    const { body: begun } = await recover(mine.id, { since });
    expect(begun).toEqual({
      ...{ triggers: 0, id: begun.id, webhook_id: mine.id, state: 'RUNNING', total: 0, done: 0 },
      ...{ since, until: begun.begin, missed: false, per_second: 10, begin: begun.begin, end: null },
    });
    expect(await recovery(begun.id)).toEqual(begun);
    const { body: stopped } = await stop(begun.id);
    expect(stopped).toEqual({ ...begun, state: 'STOPPED', end: stopped.end });
    expect(Date.parse(stopped.end)).toBeGreaterThanOrEqual(Date.parse(begun.begin));
    expect(await stop(begun.id)).toMatchObject({ status: 200, body: stopped });
    expect((await recover(mine.id)).status).toBe(202);
    const list = (more: string) =>
      service.call('GET', `/v1/webhook/recover/list?webhook_id=${mine.id}${more}`);
    const { body: first } = await list('&limit=1');
    expect(first.data).toMatchObject([{ state: 'RUNNING' }]);
    const { body: second } = await list(`&limit=1&cursor=${first.next_cursor}`);
    expect(second).toEqual({ data: [stopped], next_cursor: null });
  });

  it('lets one of several that come at once win', async () => {
    const mine = await webhook();
    await store(mine, [Date.now()]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => recover(mine.id)));
    const won = answers.filter(({ status }) => status === 202);
    expect(won).toHaveLength(1);
    for (const answer of answers) if (answer !== won[0]) expectProblem(answer, 409, 'recovery_running');
    expect(answers.find(({ status }) => status === 409)?.body.detail).toContain(won[0]?.body.id);
    await stop(won[0]?.body.id);
    expect(await ended(won[0]?.body.id)).toMatchObject({ state: 'STOPPED', done: 0 });
  });

  it('is refused for what is no webhook, and its recovery listed for its user alone', async () => {
    expectProblem(await recover(NO_ID), 404, 'not_found');
    const user = newUser();
    const { body } = await recover((await webhook(user)).id);
    const list = async (of: string) => {
      const key = await service.keyFor(of, 'webhooks:read');
      return (await service.call('GET', '/v1/webhook/recover/list', undefined, { key })).body.data;
    };
    expect([await list(user), await list(newUser())]).toEqual([[body], []]);
  });

  it.each([
    [{ since: undefined }, ['/since']],
    [{ since: 'yesterday', until: 1 }, ['/since', '/until']],
    [{ since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, ['/since']],
    [{ since: '2126-01-01T00:00:00Z' }, ['/since']],
    [{ id: 'x', dry_run: 'yes', webhook_id: NO_ID }, ['/id', '/dry_run', '/webhook_id']],
    [{ missed: 1, per_second: 0 }, ['/missed', '/per_second']],
    [{ per_second: 1001 }, ['/per_second']],
    [{ per_second: 1.5 }, ['/per_second']],
  ])('refuses %j', async (more, pointers) => {
    const { id } = await webhook();
    expectProblem(await recover(id, more), 400, 'validation_failed', pointers);
  });
});
