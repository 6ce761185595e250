import { describe, expect, it } from '@jest/globals';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Webhook } from 'standardwebhooks';
import { addWebhookDocs, OnWebhookEvent, type TriggerSettled, WebhookModule } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { useReceiver } from '../support/fixture.js';
import { HOST_KEYS } from '../support/host.js';
import { until } from '../support/until.js';
import { useHost } from './use-host.js';

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

@Injectable()
class NotOnMaintenance implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest().headers['x-maintenance'] === undefined;
  }
}

@Injectable()
class Watcher {
  readonly heard: TriggerSettled[] = [];

  @OnWebhookEvent('trigger.succeeded')
  onSuccess(event: TriggerSettled): void {
    this.heard.push(event);
  }
}

const adapters = ['Express', 'Fastify'] as const;

describe.each(databases)('in a host on $name', (kind) => {
  describe.each(adapters)('with %s', (adapter) => {
    const receiver = useReceiver();
    const host = useHost(kind, {
      adapter,
      providers: [NotOnMaintenance, Watcher],
      webhooks: WebhookModule.forRootAsync({
        prefix: 'integrations',
        guards: [NotOnMaintenance],
        principal: ({ user, headers }) =>
          typeof user === 'string'
            ? { userId: user, ...(headers['x-reporter'] ? { scopes: ['notifications:write'] } : {}) }
            : null,
        useFactory: async () => ({
          encryptionKeys: HOST_KEYS,
          egress: { allowPrivateNetwork: true },
          eventKinds,
        }),
      }),
    });

    const as = (user: string, headers = {}) => ({ headers: { 'x-user': user, ...headers } });
    const create = (user: string, more = {}) =>
      host.call(
        'POST',
        '/integrations/v1/webhook',
        { name: 'mine', url: `${receiver.url}/${user}-${adapter}`, events: ['INVOICE_PAID'], ...more },
        as(user),
      );
    const arrived = async (path: string) => {
      const isOwn = (one: { path: string }) => one.path === path;
      return (await receiver.waitFor((all) => all.some(isOwn))).find(isOwn);
    };

    it('leaves the routes, versions, errors and guards of the host unchanged', async () => {
      expect(await host.call('GET', '/v2/orders')).toMatchObject({ status: 200, body: { orders: [] } });
      expect(await host.call('POST', '/v2/orders', {})).toMatchObject({
        status: 418,
        body: { host_error: 418 },
      });
      expect(await host.call('GET', '/v2/orders', undefined, as('banned'))).toMatchObject({
        body: { host_error: 403 },
      });
      expect((await host.call('GET', '/v2/nowhere')).body).toEqual({ host_error: 404 });
    });

    it('uses the users and guards of the host, and answers with problem details', async () => {
      const created = await create('ada');
      expect(created).toMatchObject({
        status: 201,
        body: { user_id: 'ada', events: [{ kind: 'INVOICE_PAID' }] },
      });
      const path = `/integrations/v1/webhook?id=${created.body.id}`;
      expect((await host.call('GET', path, undefined, as('ada'))).status).toBe(200);
      expect(await host.call('GET', path, undefined, as('bob'))).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
      expect(await host.call('GET', path)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
      expect(await host.call('GET', path, undefined, as('ada', { 'x-maintenance': 'yes' }))).toMatchObject({
        status: 403,
        body: { code: 'forbidden' },
      });
      expect(await host.call('GET', '/integrations/v1/api-key/list', undefined, as('ada'))).toMatchObject({
        status: 404,
        body: { host_error: 404 },
      });
    });

    it('says who the user of the host is', async () => {
      const me = (user: string, headers = {}) =>
        host.call('GET', '/integrations/v1/me', undefined, as(user, headers));
      expect(await me('ada')).toMatchObject({
        status: 200,
        body: { user_id: 'ada', scopes: ['webhooks:read', 'webhooks:write'] },
      });
      expect(await me('ada', { 'x-reporter': 'yes' })).toMatchObject({
        body: { scopes: ['notifications:write'] },
      });
    });

    it('names every invalid field of a body', async () => {
      const answer = await create('ada', {
        name: '',
        url: 'nowhere',
        events: ['INVOICE_LOST'],
        color: 'red',
      });
      expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      const pointers = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer);
      expect(pointers.sort()).toEqual(['/color', '/events/0', '/name', '/url']);
    });

    it('delivers a custom event kind from the emitter, and reports the outcome', async () => {
      const user = `eve-${adapter}`;
      const created = await create(user);
      const emitter = host.app.get(EventEmitter2);
      await emitter.emitAsync('invoice.paid', { user_id: user, record: { id: 'inv_7', total: 3 } });
      const request = await arrived(`/${user}-${adapter}`);
      const verified = new Webhook(created.body.secret).verify(
        request?.body.toString() ?? '',
        request?.headers as never,
      );
      expect(verified).toMatchObject({ event_kind: 'INVOICE_PAID', data: { id: 'inv_7', total: 3 } });
      const watcher = host.app.get(Watcher);
      const heard = await until(() => watcher.heard.find(({ user_id }) => user_id === user));
      expect(heard).toMatchObject({
        webhook_id: created.body.id,
        event_kind: 'INVOICE_PAID',
        attempt_count: 1,
        event_id: created.body.events[0].id,
      });
    });

    it('accepts a notification over REST and keeps long numbers', async () => {
      const user = `max-${adapter}`;
      await create(user, { events: ['RECORD_FINISHED'] });
      const report = (record: string, headers: Record<string, string>) =>
        host.call('POST', '/integrations/v1/notification', undefined, {
          ...as(user, headers),
          raw: `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":${record}}`,
        });
      const record = '{"id":"r","n":12345678901234567890,"analysis":[]}';
      const reporter = { 'x-reporter': 'yes' };
      expect(await report(record, {})).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      const deep = `{"id":"r","analysis":[],"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
      expect(await report(deep, reporter)).toMatchObject({ status: 400, body: { code: 'json_too_deep' } });
      expect(await report(record, reporter)).toMatchObject({ status: 202, body: { triggers: [{}] } });
      const request = await arrived(`/${user}-${adapter}`);
      expect(request?.body.toString()).toContain('"n":12345678901234567890');
    });

    it('sends the example of a custom kind as a test, and lists and documents the kind', async () => {
      const user = `tom-${adapter}`;
      const { body } = await create(user);
      await host.call(
        'POST',
        '/integrations/v1/webhook/test',
        { id: body.id, event_kind: 'INVOICE_PAID' },
        as(user),
      );
      expect(JSON.parse((await arrived(`/${user}-${adapter}`))?.body.toString() ?? '')).toMatchObject({
        data: eventKinds.INVOICE_PAID.example,
      });
      const kinds = await host.call('GET', '/integrations/v1/webhook/event/kind/list', undefined, as(user));
      const listed = kinds.body.data.find(({ kind: name }: { kind: string }) => name === 'INVOICE_PAID');
      expect(listed).toMatchObject({ description: 'An invoice was paid.' });
      const config = new DocumentBuilder().setOpenAPIVersion('3.1.0').build();
      const document = addWebhookDocs(host.app, SwaggerModule.createDocument(host.app, config));
      expect(Object.keys(document.webhooks ?? {})).toContain('INVOICE_PAID');
      expect(Object.keys(document.paths)).toEqual(
        expect.arrayContaining(['/api/v2/orders', '/api/integrations/v1/webhook']),
      );
      expect(document.components?.schemas).toHaveProperty('WebhookProblemDto');
    });

    it('links list pages under its own prefix', async () => {
      const user = `pia-${adapter}`;
      await create(user);
      await create(user);
      const first = await host.call('GET', '/integrations/v1/webhook/list?limit=1', undefined, as(user));
      expect(first.headers.get('link')).toContain('/api/integrations/v1/webhook/list?limit=1&cursor=');
    });
  });
});
