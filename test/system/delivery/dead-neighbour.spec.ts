import { describe, expect, it } from '@jest/globals';
import { describeOnMariadb } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { ENCRYPTION_KEYS, type ServiceProcess, startProcessOn } from '../support/process.js';
import { queryOnce } from '../support/query-once.js';

/** Nobody is dead because of missing heartbeats while a test lasts. */
const ENV = { ENCRYPTION_KEYS, LOG_LEVEL: 'warn', INSTANCE_TIMEOUT_SECONDS: '600' };
const SENT = 5;

const isLinux = process.platform === 'linux';

(isLinux ? describe : describe.skip)('on one machine,', () => {
  describeOnMariadb('with $name,', (kind) => {
    const database = useDatabase(kind, 'test');
    const receiver = useReceiver('test');

    const start = (more: Record<string, string> = {}) => startProcessOn(database, { ...ENV, ...more });

    /** Notifications whose requests are under way; the receiver answers none of them, and all later ones. @returns the user. */
    async function send(service: ServiceProcess): Promise<string> {
      const user = newUser();
      await createWebhook(service, { user_id: user, url: receiver.url });
      receiver.respondWith([...Array.from({ length: SENT }, () => ({ after: new Promise(() => {}) })), {}]);
      for (let sent = 0; sent < SENT; sent++) await notify(service, user);
      await receiver.waitFor(SENT);
      return user;
    }
    const column = async (sql: string) =>
      (await queryOnce<string[]>({ uri: database.url, rowsAsArray: true }, sql)).flat();
    const statuses = () => column('SELECT DISTINCT status FROM webhook_trigger');
    const names = () => column('SELECT name FROM webhook_instance ORDER BY name');
    const areSent = () =>
      until(async () => (await statuses()).join() === 'SUCCEEDED', {
        what: 'all sent again',
      });

    it('a process that is started again takes over what it was sending when it was killed', async () => {
      const service = await start();
      await send(service);
      await service.end('SIGKILL');
      await service.start();
      await areSent();
      expect(receiver.requests).toHaveLength(2 * SENT);
    });

    it('a process takes over from one beside it that was killed', async () => {
      const service = await start();
      await start({ ROLE: 'worker' });
      await send(service);
      await service.end('SIGKILL');
      await areSent();
      expect(receiver.requests).toHaveLength(2 * SENT);
    });

    it('a process takes nothing over from one that is frozen', async () => {
      const service = await start();
      await send(service);
      service.signal('SIGSTOP');
      await start();
      expect(await statuses()).toEqual(['DELIVERING']);
      expect(receiver.requests).toHaveLength(SENT);
      await service.end('SIGKILL');
      await areSent();
    });

    it('a process takes over from the one that had its name, on whatever machine that was', async () => {
      const service = await start({ INSTANCE_NAME: 'node-1' });
      await send(service);
      await queryOnce({ uri: database.url }, 'UPDATE webhook_instance SET process = NULL');
      await service.end('SIGKILL');
      await service.start();
      await areSent();
      expect(receiver.requests).toHaveLength(2 * SENT);
    });

    it('a process whose name another one took starts nothing more that it had leased, and goes on without the name', async () => {
      const service = await start({ INSTANCE_NAME: 'node-1', WEBHOOK_CONCURRENCY: String(SENT) });
      const user = await send(service);
      // These wait in its memory.
      for (let waiting = 0; waiting < SENT; waiting++) await notify(service, user);
      service.signal('SIGSTOP');
      const other = await start({ INSTANCE_NAME: 'node-1' });
      await areSent();
      const before = receiver.requests.length;
      service.signal('SIGCONT');
      await until(async () => (await names()).join() === ',node-1', { what: 'registered without the name' });
      await notify(other, user);
      await receiver.waitFor(before + 1);
      expect(receiver.requests).toHaveLength(before + 1);
    });
  });
});
