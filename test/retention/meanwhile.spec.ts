import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { TaskLease } from '../../src/engine/instance/task-lease.js';
import { Ledger } from '../../src/engine/ledger/ledger.repository.js';
import { ROOM } from '../../src/retention/batch.js';
import { RemovalRepository, type Removed } from '../../src/retention/removal.repository.js';
import { RetentionPass } from '../../src/retention/retention-pass.js';
import { TASKS } from '../../src/retention/tasks.js';
import { databases } from '../support/databases.js';
import { useReceiver } from '../support/fixture.js';
import { refuse } from '../support/refuse.js';
import { finished, newUser } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';
import { DAY_MS, type Given, left, oldId, type Stored, store, storeTrigger, useRetention } from './stored.js';

/** What happens between the look at notifications and the transaction that removes them. */
describe.each(databases)('meanwhile, retention on $name', (kind) => {
  const { clock, service, get, query, pass } = useRetention(kind);
  const receiver = useReceiver('test');
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Stores three notifications. @returns what removes them as they are now. */
  async function looked(what: Removed) {
    const given: Given = { ageMs: 21 * DAY_MS, statuses: ['SUCCEEDED', 'FAILED'] };
    const stored = await store(service, [given, given, given]);
    stored.sort((one, other) => (one.id < other.id ? -1 : 1));
    await get(TaskLease).take(TASKS[what]);
    const ready = stored.map(({ id, triggers }) => ({ id, exists: true, triggerIds: triggers }));
    const batch = { ids: stored.map(({ id }) => id), ready, isPart: false };
    const remove = () =>
      get(RemovalRepository).remove({ what, batch, after: '', now: clock.now(), task: TASKS[what] });
    return { stored, remove };
  }

  it.each(['payload', 'rows'] as const)(
    'spares the %s of what a trigger was made or made due for',
    async (what) => {
      const { stored, remove } = await looked(what);
      const [due, more] = stored;
      await query(`UPDATE webhook_trigger SET status = 'PENDING' WHERE id = ?`, [due?.triggers[1]]);
      await storeTrigger(service, oldId(0), more);
      expect(await remove()).toBe(1);
      const spared = [due?.id, more?.id];
      const found = await left(service);
      expect(found).toMatchObject({ whole: spared, overdue: spared });
      expect(found.wholeAttempts).toEqual([...(due?.triggers ?? []), ...(more?.triggers ?? [])].sort());
      const [task] = await query('SELECT position FROM webhook_task WHERE name = ?', [TASKS[what]]);
      expect(task.position).toBe(stored.at(-1)?.id);
    },
  );

  it.each(['payload', 'rows'] as const)('removes no %s if another instance has taken over', async (what) => {
    const { remove } = await looked(what);
    await query(`UPDATE webhook_task SET held_by = 'another'`);
    const before = await left(service);
    await expect(remove()).rejects.toThrow(`Another instance takes care of ${TASKS[what]} now.`);
    expect(await left(service)).toEqual(before);
    expect(before.whole).toHaveLength(3);
  });

  it('removes all but what cannot be removed, and no half of that', async () => {
    const given: Given = { ageMs: 21 * DAY_MS, statuses: ['SUCCEEDED'] };
    const stored = await store(service, Array(20).fill(given));
    const { id, triggers } = stored.toSorted((one, other) => (one.id < other.id ? -1 : 1))[7] as Stored;
    const accept = await refuse(service, kind, ['DELETE', 'webhook_notification'], {
      when: `OLD.id = '${id}'`,
    });
    for (let passes = 0; passes < 10; passes++) await pass().catch(() => {});
    expect(await left(service)).toMatchObject({ notifications: [id], triggers, attempts: triggers });
    await accept();
    await pass();
    expect(await left(service)).toMatchObject({ notifications: [], triggers: [], overdue: [] });
  });

  it('leaves the rest of a large notification that a trigger was made for between its parts', async () => {
    const statuses = Array.from({ length: ROOM }, () => 'FAILED' as const);
    const [large] = await store(service, [{ ageMs: 21 * DAY_MS, statuses }]);
    const steps = get(RetentionPass).steps();
    await steps.next();
    const rest = (await left(service)).triggers;
    expect(rest.length).toBeLessThan(ROOM);
    // Before all others by its id.
    const made = oldId(50 * DAY_MS);
    await storeTrigger(service, made, large, clock.now() + DAY_MS);
    while (!(await steps.next()).done);
    const whole = {
      whole: [large?.id],
      triggers: [made, ...rest],
      wholeAttempts: rest,
      overdue: [large?.id],
    };
    expect(await left(service)).toMatchObject(whole);
    await query(`UPDATE webhook_trigger SET status = 'SUCCEEDED'`);
    await pass();
    expect(await left(service)).toMatchObject({ notifications: [], triggers: [], attempts: [], overdue: [] });
  });

  it.each([
    ['payload', 11, 409],
    ['rows', 21, 404],
  ] as const)('spares the %s of what is retried, and sends it', async (_what, days, refusal) => {
    const userId = newUser();
    const { id: webhookId } = await createWebhook(service, { user_id: userId, url: receiver.url });
    const given: Given = { ageMs: days * DAY_MS, statuses: ['FAILED'], userId, webhookId };
    const stored = async (...all: Given[]) =>
      (await store(service, all)).map(({ triggers }) => triggers[0] as string);
    const retry = async (id: string) =>
      (await service.call('POST', '/v1/webhook/trigger/retry', { id })).status;
    // What is sent is of age again when it is answered.
    const release = receiver.hold();

    const [looked, gone] = (await stored(given, given)) as [string, string];
    const removals = get(RemovalRepository);
    const { remove } = removals;
    jest.spyOn(removals, 'remove').mockImplementationOnce(async (removal) => {
      expect(await retry(looked)).toBe(202);
      return remove.call(removals, removal);
    });
    await pass();
    expect(await retry(gone)).toBe(refusal);

    const [locked] = (await stored({ ...given, ageMs: days * DAY_MS - 1000 })) as [string];
    const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ledger = get(Ledger);
    const { apply } = ledger;
    jest.spyOn(ledger, 'apply').mockImplementation(async (...change) => {
      if (change[1] === 'retry') {
        reached.resolve();
        await goOn.promise;
      }
      return apply.apply(ledger, change);
    });
    clock.advance(1000);
    const retrying = retry(locked);
    await reached.promise;
    const passing = pass();
    // On SQLite the pass waits for the transaction of the call.
    if (kind.name === 'MariaDB') await passing;
    goOn.resolve();
    expect(await retrying).toBe(202);
    await passing;

    release();
    for (const id of [looked, locked])
      expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    expect(receiver.requests.map(({ body }) => body.toString())).toEqual(Array(2).fill('{"data":{}}'));
  });

  it('goes on where a pass was broken off, and no step leaves half of anything', async () => {
    const stored = await store(
      service,
      Array.from({ length: 24 }, (_, n) => ({
        ageMs: (n % 2 ? 11 : 21) * DAY_MS - n,
        statuses: ['SUCCEEDED', n % 6 ? 'FAILED' : 'PENDING'],
        attempts: 100,
      })),
    );
    const attemptsOf = (ids: string[]) =>
      stored
        .filter(({ id }) => ids.includes(id))
        .flatMap(({ triggers }) => triggers.flatMap((id) => Array<string>(100).fill(id)))
        .toSorted();
    const ends: number[][] = [];
    for (const stopAfter of [1, 1, 1, Number.POSITIVE_INFINITY]) {
      let steps = 0;
      for await (const _ of get(RetentionPass).steps()) {
        const { notifications, whole, triggers, attempts, wholeAttempts, bareAttempts } = await left(service);
        expect(attempts).toEqual(attemptsOf(notifications));
        expect(triggers).toEqual([...new Set(attempts)]);
        expect(wholeAttempts).toEqual(attemptsOf(whole));
        expect(bareAttempts).toHaveLength(attempts.length - wholeAttempts.length);
        ends.push([notifications.length, whole.length]);
        if (++steps === stopAfter) break;
      }
    }
    // It was broken off in the middle.
    expect(ends[2]).not.toEqual([16, 4]);
    expect(ends.at(-1)).toEqual([16, 4]);
  });
});
