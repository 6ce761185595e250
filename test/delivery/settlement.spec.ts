import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/platform/clock.js';
import { databases, describeOnMariadb } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { refuse } from '../support/refuse.js';
import { finished, newUser, notify, trigger, triggerWhen } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';
import { logged } from './logged.js';

const REFUSED = 'no such thing';

describe.each(databases)('storing results on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = useReceiver();

  /** Holds back all answers until the returned function is called. */
  function hold(answer: (path: string) => object): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    receiver.respondWith([({ path }) => ({ ...answer(path), after: promise })]);
    return resolve;
  }

  afterEach(() => {
    receiver.requests.length = 0;
  });

  it('stores a result that the database refuses without its response, and all others whole', async () => {
    const when = `NEW.response_body = '${REFUSED}'`;
    const accept = await refuse(service, kind, ['INSERT', 'webhook_attempt'], { when });
    const user = newUser();
    for (const path of ['fine', 'refused', 'broken', 'fine-too'])
      await createWebhook(service, { user_id: user, url: `${receiver.url}/${path}` });
    // Answered together, so that one batch stores them.
    const answer = hold((path) => ({
      status: path === '/broken' ? 500 : 200,
      body: path === '/refused' || path === '/broken' ? REFUSED : 'ok',
    }));
    const { body } = await notify(service, user);
    await receiver.waitFor(4);
    answer();
    const [fine, refused, broken, fineToo] = body.triggers.map(({ id }: { id: string }) => id);
    for (const id of [fine, fineToo])
      await triggerWhen(service, id, ({ status, response_data }) => status === 'SUCCEEDED' && response_data);
    expect(await finished(service, refused)).toMatchObject({
      status: 'SUCCEEDED',
      attempt_count: 1,
      response_data: null,
      error: null,
    });
    const again = await triggerWhen(service, broken, ({ status }) => status === 'PENDING');
    expect(again).toMatchObject({ attempt_count: 1, error: { code: 'http_status' } });
    expect(Date.parse(again.next_attempt_at)).toBeGreaterThan(Date.now());
    expect(receiver.requests).toHaveLength(4);
    await accept();
  });

  it('keeps trying after an unexpected error, and sends nothing again', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    const answer = hold(() => ({ body: 'ok' }));
    const id = await trigger(service, user);
    await receiver.waitFor(1);
    await service.query('ALTER TABLE webhook_attempt RENAME TO webhook_attempt_away');
    const retried = logged(/^Could not store the results? of /, 2);
    answer();
    await retried;
    await service.query('ALTER TABLE webhook_attempt_away RENAME TO webhook_attempt');
    expect(await finished(service, id)).toMatchObject({
      status: 'SUCCEEDED',
      attempt_count: 1,
      response_data: { status: 200, body: 'ok' },
    });
    expect(receiver.requests).toHaveLength(1);
  });
});

describeOnMariadb('an error of $name that means it is unavailable', (kind) => {
  const { after } = systemClock;
  // Pauses between two tries take a tenth.
  beforeAll(() => {
    systemClock.after = (ms, run) => after(ms / 10, run);
  });
  afterAll(() => {
    systemClock.after = after;
  });
  const service = useService(kind);
  const receiver = useReceiver();

  it.each([
    [1020, 'the record has changed'],
    [1030, 'the disk is full'],
    [1047, 'this node is not ready'],
    [1180, 'an error during COMMIT'],
    [1205, 'a lock was not free in time'],
    [1213, 'a deadlock, again and again'],
    [1290, 'it is started read only'],
    [1317, 'the query was interrupted'],
    [1412, 'the table has changed'],
    [1792, 'the transaction is read only'],
    [1836, 'read only'],
    [1969, 'the statement took too long'],
    [3101, 'the group rolled it back'],
    [3797, 'the node has to catch up'],
  ])('%i (%s): answers 503, holds up no other result, and sends nothing again', async (errno) => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    const [first, later] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    receiver.requests.length = 0;
    receiver.respondWith([{ after: first.promise }, { after: later.promise }]);
    const ids: string[] = [];
    while (ids.length < 3) {
      ids.push(await trigger(service, user));
      await receiver.waitFor(ids.length);
    }
    const [other = '', ...stuck] = ids.toReversed();
    const when = `NEW.trigger_id <> '${other}'`;
    const ends = [
      await refuse(service, kind, ['INSERT', 'webhook_notification'], { errno }),
      await refuse(service, kind, ['INSERT', 'webhook_attempt'], { errno, when }),
    ];
    // Two batches meet it.
    const failed = logged(/^Could not store the results? of /);
    first.resolve();
    await failed;
    later.resolve();
    const answer = await notify(service, user);
    expect(answer).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await finished(service, other)).toMatchObject({ status: 'SUCCEEDED' });
    for (const end of ends) await end();
    for (const id of stuck)
      expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
    expect(receiver.requests).toHaveLength(3);
  });
});

describeOnMariadb('a node of $name that is behind', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver();

  it.each([
    ['has no row of the trigger yet', 'DELETE FROM webhook_trigger WHERE id = ?'],
    ['does not know of its lease yet', 'UPDATE webhook_trigger SET lease = lease - 1 WHERE id = ?'],
  ])('gets a result again until it has caught up: it %s', async (_how, fallBehind) => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.requests.length = 0;
    const release = receiver.hold();
    const id = await trigger(service, user);
    const other = await trigger(service, user);
    await receiver.waitFor(2);
    await service.query('CREATE TABLE ahead AS SELECT * FROM webhook_trigger WHERE id = ?', [id]);
    await service.query(fallBehind, [id]);
    const retried = logged(/is behind/, 2);
    release();
    await retried;
    expect(await finished(service, other)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
    await service.query('REPLACE INTO webhook_trigger SELECT * FROM ahead');
    await service.query('DROP TABLE ahead');
    expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
    expect(receiver.requests).toHaveLength(2);
  });
});
