import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import {
  addWebhookDocs,
  NotifierService,
  OnWebhookEvent,
  type TriggerSettled,
  WebhookModule,
} from '../../src/index.js';
import { databases } from '../support/databases.js';
import { useReceiver } from '../support/fixture.js';
import { HOST_KEYS } from '../support/host.js';
import { hurry } from '../support/hurry.js';
import { newUser, record } from '../support/scene.js';
import { type StreamReader, useStreams } from '../support/stream.js';
import { until } from '../support/until.js';
import { ADAPTERS, NotOnMaintenance, useHost } from './use-host.js';

declare module '../../src/event/event-kinds.js' {
  interface HostEventKinds {
    INVOICE_PAID: { event: 'invoice.paid'; record: { id: string; total: number } };
  }
}

const eventKinds = {
  INVOICE_PAID: {
    event: 'invoice.paid',
    description: 'An invoice was paid.',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    example: { id: 'inv_1', total: 12.5 },
  },
} as const;

const V1 = '/integrations/v1';
const TRIGGERS = `${V1}/webhook/trigger/stream`;
const NOTIFICATIONS = `${V1}/notification/stream`;

@Injectable()
class Watcher {
  readonly heard: TriggerSettled[] = [];

  @OnWebhookEvent('trigger.succeeded')
  onSuccess(event: TriggerSettled): void {
    this.heard.push(event);
  }
}

describe.each(databases)('in a host on $name', (kind) => {
  describe.each(ADAPTERS)('with %s', (adapter) => {
    const receiver = useReceiver();
    const loggedOut = new Set<string>();
    const host = useHost(kind, {
      adapter,
      providers: [NotOnMaintenance, Watcher],
      webhooks: WebhookModule.forRootAsync({
        prefix: 'integrations',
        guards: [NotOnMaintenance],
        principal: ({ user, headers }) =>
          typeof user === 'string' && !loggedOut.has(user)
            ? { userId: user, ...(headers['x-reporter'] ? { scopes: ['notifications:write'] } : {}) }
            : null,
        useFactory: async () => ({
          encryptionKeys: HOST_KEYS,
          egress: { allowPrivateNetwork: true },
          rateLimitPerMinute: 0,
          eventKinds,
        }),
      }),
    });

    const as = (user: string, headers = {}) => ({ headers: { 'x-user': user, ...headers } });
    const get = (path: string, user: string, headers = {}) =>
      host.call('GET', V1 + path, undefined, as(user, headers));
    const create = (user: string, kind = 'INVOICE_PAID') => {
      const webhook = { name: 'mine', url: `${receiver.url}/${user}`, events: [kind] };
      return host.call('POST', `${V1}/webhook`, webhook, as(user));
    };
    const arrived = async (user: string) => {
      await receiver.waitFor(() => receiver.at(`/${user}`).length > 0);
      const [{ headers, body }] = receiver.at(`/${user}`) as [(typeof receiver.requests)[number]];
      return { headers, text: body.toString() };
    };

    it('leaves the routes, versions, errors and guards of the host unchanged', async () => {
      expect(await host.call('GET', '/v2/orders')).toMatchObject({ status: 200, body: { orders: [] } });
      const failed = await host.call('POST', '/v2/orders', {});
      expect(failed).toMatchObject({ status: 418, body: { host_error: 418 } });
      const banned = await host.call('GET', '/v2/orders', undefined, as('banned'));
      expect(banned.body).toEqual({ host_error: 403 });
      expect((await host.call('GET', '/v2/nowhere')).body).toEqual({ host_error: 404 });
    });

    it('uses the users and guards of the host, and answers with problem details', async () => {
      const created = await create('ada');
      const events = [{ kind: 'INVOICE_PAID' }];
      expect(created).toMatchObject({ status: 201, body: { user_id: 'ada', events } });
      const path = `/webhook?id=${created.body.id}`;
      expect((await get(path, 'ada')).status).toBe(200);
      expect(await get(path, 'bob')).toMatchObject({ status: 404, body: { code: 'not_found' } });
      const nobody = await host.call('GET', V1 + path);
      expect(nobody).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
      const guarded = await get(path, 'ada', { 'x-maintenance': 'yes' });
      expect(guarded).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      const keys = await get('/api-key/list', 'ada');
      expect(keys).toMatchObject({ status: 404, body: { host_error: 404 } });
    });

    it('says who the user of the host is', async () => {
      const scopes = ['webhooks:read', 'webhooks:write'];
      expect(await get('/me', 'ada')).toMatchObject({ status: 200, body: { user_id: 'ada', scopes } });
      const reporter = await get('/me', 'ada', { 'x-reporter': 'yes' });
      expect(reporter.body.scopes).toEqual(['notifications:write']);
    });

    it('delivers a custom event kind from the emitter, and reports the outcome', async () => {
      const user = newUser();
      const { body: webhook } = await create(user);
      const event = { user_id: user, record: { id: 'inv_7', total: 3 } };
      await host.get(EventEmitter2).emitAsync('invoice.paid', event);
      const { headers, text } = await arrived(user);
      const verified = new Webhook(webhook.secret).verify(text, headers as never);
      expect(verified).toMatchObject({ event_kind: 'INVOICE_PAID', data: { id: 'inv_7', total: 3 } });
      const heard = await until(() => host.get(Watcher).heard.find(({ user_id }) => user_id === user));
      expect(heard).toMatchObject({
        webhook_id: webhook.id,
        event_kind: 'INVOICE_PAID',
        attempt_count: 1,
        event_id: webhook.events[0].id,
      });
    });

    it('accepts a notification over REST and keeps long numbers', async () => {
      const user = newUser();
      await create(user, 'RECORD_FINISHED');
      const report = (json: string, headers = {}) =>
        host.call('POST', `${V1}/notification`, undefined, {
          ...as(user, headers),
          raw: `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":${json}}`,
        });
      const long = '{"id":"r","n":12345678901234567890,"analysis":[]}';
      const deep = `{"id":"r","analysis":[],"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
      const reporter = { 'x-reporter': 'yes' };
      expect(await report(long)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      expect(await report(deep, reporter)).toMatchObject({ status: 400, body: { code: 'json_too_deep' } });
      expect(await report(long, reporter)).toMatchObject({ status: 202, body: { triggers: [{}] } });
      expect((await arrived(user)).text).toContain('"n":12345678901234567890');
    });

    it('sends the example of a custom kind as a test, and lists and documents the kind', async () => {
      const user = newUser();
      const { id } = (await create(user)).body;
      await host.call('POST', `${V1}/webhook/test`, { id, event_kind: 'INVOICE_PAID' }, as(user));
      const sent = JSON.parse((await arrived(user)).text);
      expect(sent.data).toEqual(eventKinds.INVOICE_PAID.example);
      expect((await get('/webhook/event/kind/list', user)).body.data).toContainEqual(
        expect.objectContaining({ kind: 'INVOICE_PAID', description: 'An invoice was paid.' }),
      );
      const config = new DocumentBuilder().setOpenAPIVersion('3.1.0').build();
      const document = addWebhookDocs(host.app, SwaggerModule.createDocument(host.app, config));
      expect(document).toMatchObject({
        webhooks: { INVOICE_PAID: {} },
        paths: { '/api/v2/orders': {}, '/api/integrations/v1/webhook': {} },
        components: { schemas: { WebhookProblemDto: {} } },
      });
    });

    it('links list pages under its own prefix', async () => {
      const user = newUser();
      await create(user);
      await create(user);
      const first = await get('/webhook/list?limit=1', user);
      expect(first.headers.get('link')).toContain('/api/integrations/v1/webhook/list?limit=1&cursor=');
    });

    describe('streams', () => {
      const open = useStreams();
      let undo = () => {};
      afterEach(() => undo());

      const follow = (user: string, path = TRIGGERS): Promise<StreamReader> =>
        open(host.url + path, { key: '', ...as(user) });

      // First: nobody has watched yet.
      it('show what a transaction of the application made, when it commits', async () => {
        const user = newUser();
        await create(user, 'RECORD_FINISHED');
        // On SQLite nobody can begin to watch while a transaction is open.
        let stream = kind.name === 'SQLite' ? await follow(user, NOTIFICATIONS) : null;
        await host.get(DataSource).transaction(async (manager) => {
          const event = { user_id: user, record };
          await host.get(NotifierService).notify('record.finished', event, { manager });
          stream ??= await follow(user, NOTIFICATIONS);
        });
        const watching = stream as unknown as StreamReader;
        await watching.when(({ event_kind }) => event_kind === 'RECORD_FINISHED');
      });

      it('show its users what happens to their webhooks, behind its guards', async () => {
        const [user, stranger] = [newUser(), newUser()];
        await create(user, 'RECORD_FINISHED');
        const [mine, theirs] = [await follow(user), await follow(stranger)];
        const notifications = await follow(user, NOTIFICATIONS);
        expect(mine.response.headers).toMatchObject({
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': expect.stringContaining('no-transform'),
        });
        await host.get(EventEmitter2).emitAsync('record.finished', { user_id: user, record });
        await mine.when(({ status }) => status === 'SUCCEEDED');
        await notifications.when(({ event_kind }) => event_kind === 'RECORD_FINISHED');
        expect(theirs.events).toEqual([]);
        const refused = as(user, { 'x-maintenance': 'yes' });
        expect(await host.call('GET', TRIGGERS, undefined, refused)).toMatchObject({ status: 403 });
        const nobody = await host.call('GET', TRIGGERS);
        expect(nobody).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
      });

      it('end when the application does not know the caller any more', async () => {
        undo = hurry();
        // Each stream ends after the same time. The other one, which began before, would be over before.
        const [gone, there] = [newUser(), newUser()];
        const random = jest.spyOn(Math, 'random').mockReturnValue(0);
        const [other, stream] = [await follow(there), await follow(gone)];
        random.mockRestore();
        loggedOut.add(gone);
        await until(() => stream.isOver);
        expect(other.isOver).toBe(false);
      });
    });
  });
});
