import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ChangeLog } from '../../src/engine/changes/change-log.repository.js';
import { systemClock } from '../../src/platform/clock.js';
import { newId } from '../../src/platform/ids/ids.js';
import { Vault } from '../../src/platform/secret/vault.js';
import { Positions } from '../../src/streams/position.js';
import { standStill } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { K1, K2 } from '../support/keys.js';
import { startBehindProxy } from '../support/proxy.js';
import { newUser, notify, notifyTimes, trigger } from '../support/scene.js';
import type { TestService } from '../support/service.js';
import { useStreams } from '../support/stream.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const TRIGGERS = '/v1/webhook/trigger/stream';
const NOTIFICATIONS = '/v1/notification/stream';

describe.each(databases)('a stream on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');
  const receiver = useReceiver('test');
  const open = useStreams();
  const clock = { ...systemClock };
  // A stream waits before it begins, for as long as others may not know that somebody watches. Comments come every 15 seconds.
  beforeEach(() => {
    systemClock.after = (ms, run) => clock.after(ms / 20, run);
  });
  afterEach(() => void Object.assign(systemClock, clock));

  /** Longer than a write may take without being slow. */
  const seconds = () => standStill(2000);

  describe('that begins while something is written', () => {
    /** A service whose statements can be held back, and one beside it that streams. */
    async function slowAndOther() {
      const { proxy, service: slow } = await startBehindProxy(database);
      return { proxy, slow, other: await database.start() };
    }

    const onMariaDb = kind.name === 'MariaDB' ? it : it.skip;

    onMariaDb.each([
      ['COMMIT', { events: ['RECORD_FINISHED'] }],
      ['INSERT INTO webhook_notification', { events: [] }],
    ])('shows a notification whose %s takes seconds', async (statement, webhook) => {
      const { proxy, slow, other } = await slowAndOther();
      const user = newUser();
      await createWebhook(other, { user_id: user, url: receiver.url, ...webhook });
      proxy.holdBack(statement);
      const answer = notify(slow, user);
      await until(() => proxy.held > 0);
      const stream = await open(other.url + NOTIFICATIONS);
      seconds();
      proxy.heal();
      const { body } = await answer;
      await stream.when(({ id }) => id === body.id);
    });

    onMariaDb('shows a result whose COMMIT takes seconds', async () => {
      const { proxy, slow, other } = await slowAndOther();
      const user = newUser();
      const release = receiver.hold();
      await createWebhook(slow, { user_id: user, url: receiver.url });
      const id = await trigger(slow, user);
      await receiver.waitFor(1);
      proxy.holdBack('COMMIT');
      release();
      await until(() => proxy.held > 0);
      const stream = await open(other.url + TRIGGERS);
      seconds();
      proxy.heal();
      await stream.when((one) => one.id === id && one.status === 'SUCCEEDED');
    });

    it('notes what it had left out while nobody watched, when a slow write has ended', async () => {
      const service = await database.start();
      const changes = service.get(ChangeLog);
      const [slow, quick] = [newId(), newId()];
      await changes.noting({ trigger: [quick] }, null, async (noted) => expect(noted).toEqual([]));
      await changes.noting({ trigger: [slow] }, null, async (noted) => {
        expect(noted).toEqual([]);
        await open(service.url + TRIGGERS);
        seconds();
      });
      const noted = () => service.query('SELECT subject_id FROM webhook_change');
      await until(async () => (await noted()).length > 0);
      expect(await noted()).toEqual([{ subject_id: slow }]);
    });
  });

  it('goes on telling what becomes of attempts while its process drains', async () => {
    const service = await database.start();
    const user = newUser();
    const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    receiver.respondWith(answers.map(({ promise }) => ({ after: promise })));
    await createWebhook(service, { user_id: user, url: receiver.url });
    const stream = await open(`${service.url}${TRIGGERS}?user_id=${user}`);
    const first = await trigger(service, user);
    await receiver.waitFor(1);
    await trigger(service, user);
    await receiver.waitFor(2);
    const closed = service.stop();
    answers[0].resolve();
    const { data } = await stream.when(({ id, status }) => id === first && status === 'SUCCEEDED');
    // The other attempt keeps the process from ending.
    expect(data.attempt_count).toBe(1);
    expect(stream.isOver).toBe(false);
    answers[1].resolve();
    await closed;
  });

  describe('has a position that', () => {
    let key: string;
    const follow = (service: TestService, lastId = '') => open(service.url + NOTIFICATIONS, { key, lastId });

    it('tells a user neither how much happens to others, nor whether anything does', async () => {
      const service = await database.start();
      key = await service.keyFor(newUser(), 'webhooks:read');
      const positions = new Set<string>();
      const look = async () => {
        const stream = await follow(service);
        positions.add(await until(() => stream.lastId));
      };
      await look();
      await look();
      await notifyTimes(5, service, newUser());
      await look();
      const stream = await follow(service);
      await until(() => stream.comments >= 3 && positions.add(stream.lastId).size >= 6);
      // Each is another one, also where nothing happened, and all look the same.
      for (const position of positions) expect(position).toMatch(/^[\w-]{48}$/);
      const parts = [...positions].map((position) => Buffer.from(position, 'base64url'));
      for (let at = 0; at < 36; at++)
        expect(new Set(parts.map((bytes) => bytes[at])).size).toBeGreaterThan(1);
    });

    it('holds in every process that knows the key, also while keys are replaced, so that nothing is missed', async () => {
      const first = await database.start({ ENCRYPTION_KEYS: K1 });
      const user = newUser();
      key = await first.keyFor(user, 'webhooks:read');
      const before = await follow(first);
      const lastId = await until(() => before.lastId);
      const missed = await notifyTimes(20, first, user);
      await first.stop();
      const second = await database.start({ ENCRYPTION_KEYS: `${K2},${K1}` });
      const stream = await follow(second, lastId);
      for (const { body } of missed) await stream.when(({ id }) => id === body.id);
      expect(stream.of('reset')).toEqual([]);
    });

    it('counts as unknown if it was not issued here', async () => {
      const service = await database.start();
      key = await service.keyFor(newUser(), 'webhooks:read');
      const before = await follow(service);
      const lastId = await until(() => before.lastId);
      const [watch] = await service.query<{ epoch: string }>('SELECT epoch FROM webhook_watch');
      const foreign = new Positions(new Vault([{ id: 'test', key: Buffer.alloc(32, 2) }]));
      const changed = Buffer.from(lastId, 'base64url');
      changed[35] = (changed[35] as number) ^ 1;
      const unknown = [
        'nonsense',
        '1',
        `1.${'0'.repeat(36)}`,
        changed.toString('base64url'),
        lastId.slice(0, -1),
        `${lastId}AAAA`,
        'x'.repeat(8000),
        foreign.write(0, watch?.epoch as string),
      ];
      for (const position of unknown) {
        const stream = await follow(service, position);
        await stream.when((_, { event }) => event === 'reset');
        expect(stream.lastId).not.toBe(position);
      }
    });
  });
});
