import { afterEach, describe, expect, it } from '@jest/globals';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { DataSource } from 'typeorm';
import { NotifierService, WebhookModule, WebhookService } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { useReceiver } from '../support/fixture.js';
import { HOST_KEYS } from '../support/host.js';
import { hurry } from '../support/hurry.js';
import { newUser, record } from '../support/scene.js';
import { StreamReader } from '../support/stream.js';
import { until } from '../support/until.js';
import { useHost } from './use-host.js';

const TRIGGERS = '/integrations/v1/webhook/trigger/stream';
const NOTIFICATIONS = '/integrations/v1/notification/stream';

@Injectable()
class NotOnMaintenance implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest().headers['x-maintenance'] === undefined;
  }
}

describe.each(databases)('streams in a host on $name', (kind) => {
  describe.each(['Express', 'Fastify'] as const)('with %s', (adapter) => {
    const receiver = useReceiver();
    const loggedOut = new Set<string>();
    const host = useHost(kind, {
      adapter,
      providers: [NotOnMaintenance],
      webhooks: WebhookModule.forRoot({
        prefix: 'integrations',
        guards: [NotOnMaintenance],
        principal: ({ user }) => (typeof user === 'string' && !loggedOut.has(user) ? { userId: user } : null),
        encryptionKeys: HOST_KEYS,
        rateLimitPerMinute: 0,
        egress: { allowPrivateNetwork: true },
      }),
    });
    const open: StreamReader[] = [];
    let undo = () => {};
    afterEach(() => {
      undo();
      for (const stream of open.splice(0)) stream.close();
    });

    async function follow(user: string, path = TRIGGERS): Promise<StreamReader> {
      const url = `${(await host.app.getUrl()).replace('[::1]', '127.0.0.1')}/api${path}`;
      const stream = await StreamReader.open(url, { key: '', headers: { 'x-user': user } });
      open.push(stream);
      return stream;
    }

    // First: nobody has watched yet.
    it('show what a transaction of the application made, when it commits', async () => {
      const user = newUser();
      const webhooks = host.app.get(WebhookService, { strict: false });
      await webhooks.create(user, { name: 'x', url: receiver.url, events: ['RECORD_FINISHED'] });
      const notifier = host.app.get(NotifierService, { strict: false });
      // On SQLite nobody can begin to watch while a transaction is open.
      const isAlone = kind.name === 'SQLite';
      let stream = isAlone ? await follow(user, NOTIFICATIONS) : null;
      const committed = host.app.get(DataSource).transaction(async (manager) => {
        await notifier.notify('record.finished', { user_id: user, record }, { manager });
        stream ??= await follow(user, NOTIFICATIONS);
      });
      await committed;
      const watching = stream as unknown as StreamReader;
      await watching.when(({ event_kind }) => event_kind === 'RECORD_FINISHED');
    });

    it('show its users what happens to their webhooks, behind its guards', async () => {
      const [user, stranger] = [newUser(), newUser()];
      const webhooks = host.app.get(WebhookService, { strict: false });
      await webhooks.create(user, { name: 'x', url: receiver.url, events: ['RECORD_FINISHED'] });
      const [mine, theirs, notifications] = [
        await follow(user),
        await follow(stranger),
        await follow(user, NOTIFICATIONS),
      ];
      expect(mine.response.headers).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': expect.stringContaining('no-transform'),
      });
      await host.app.get(EventEmitter2).emitAsync('record.finished', { user_id: user, record });
      await mine.when(({ status }) => status === 'SUCCEEDED');
      await notifications.when(({ event_kind }) => event_kind === 'RECORD_FINISHED');
      expect(theirs.events).toEqual([]);
      const refused = { headers: { 'x-user': user, 'x-maintenance': 'yes' } };
      expect(await host.call('GET', TRIGGERS, undefined, refused)).toMatchObject({ status: 403 });
      expect(await host.call('GET', TRIGGERS)).toMatchObject({
        status: 401,
        body: { code: 'unauthenticated' },
      });
    });

    it('end when the application does not know the caller any more', async () => {
      undo = hurry();
      const [gone, there] = [newUser(), newUser()];
      const [stream, other] = [await follow(gone), await follow(there)];
      loggedOut.add(gone);
      await until(() => stream.isOver);
      expect(other.isOver).toBe(false);
    });
  });
});
