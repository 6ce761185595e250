import { beforeAll, describe, expect, it } from '@jest/globals';
import { CacheInterceptor, CacheModule } from '@nestjs/cache-manager';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import CachePolicy from 'http-cache-semantics';
import { type ApiKey, ApiKeyService } from '../../src/index.js';
import type { Answer } from '../support/call.js';
import { SQLITE } from '../support/databases.js';
import { type Operation, operations } from '../support/operations.js';
import { attempted, type Json, newUser, notify, record, trigger } from '../support/scene.js';
import { useStreams } from '../support/stream.js';
import { until } from '../support/until.js';
import { createWebhook, webhookBody } from '../support/webhook.js';
import { webhookModule } from './application.js';
import { useHost } from './use-host.js';

/** Has a key of its own for every call, as Nest's documentation shows it. */
@Injectable()
class ByUrl extends CacheInterceptor {
  protected override trackBy(context: ExecutionContext): string {
    return context.switchToHttp().getRequest().originalUrl;
  }
}

interface Caller {
  userId: string;
  key: string;
}

/** Objects of the one who asks first. */
type Owned = Record<
  'webhook' | 'signing' | 'event' | 'trigger' | 'notification' | 'recovery' | 'apiKey',
  string
>;

interface Request {
  query?: Record<string, string>;
  body?: Json;
}

/** A call of each operation, in this order. */
const REQUESTS: Record<string, (its: Owned, caller: Caller) => Request> = {
  findWebhook: ({ webhook }) => ({ query: { id: webhook } }),
  listWebhooks: () => ({}),
  findWebhookSecret: ({ webhook }) => ({ query: { id: webhook } }),
  findWebhookPublicKey: ({ signing }) => ({ query: { id: signing } }),
  findRecovery: ({ recovery }) => ({ query: { id: recovery } }),
  listRecoveries: () => ({}),
  listEventKinds: () => ({}),
  listTriggers: () => ({ query: { include: 'data' } }),
  findTrigger: (its) => ({ query: { id: its.trigger } }),
  listAttempts: (its) => ({ query: { trigger_id: its.trigger } }),
  findNotification: ({ notification }) => ({ query: { id: notification } }),
  listNotifications: () => ({}),
  findStatistics: () => ({}),
  findCaller: () => ({}),
  listApiKeys: () => ({}),
  streamTriggers: () => ({}),
  streamNotifications: () => ({}),
  createOrDeleteWebhook: () => ({ body: webhookBody() }),
  putWebhook: () => ({ body: webhookBody({ uid: 'mine' }) }),
  updateWebhook: ({ webhook }) => ({ body: { id: webhook, name: 'new' } }),
  rotateWebhookSecret: ({ webhook }) => ({ body: { id: webhook } }),
  recoverWebhook: ({ webhook }) => ({ body: { id: webhook, since: '2020-01-01T00:00:00Z', dry_run: true } }),
  stopRecovery: ({ recovery }) => ({ query: { id: recovery } }),
  createOrDeleteEvent: ({ signing }) => ({ body: { webhook_id: signing, kind: 'STATUS_CHANGED' } }),
  updateEvent: ({ event }) => ({ body: { id: event, enabled: false } }),
  testFilter: () => ({ body: { filter: { id: record.id }, record } }),
  retryTrigger: (its) => ({ body: { id: its.trigger } }),
  notify: (_, { userId }) => ({ body: { event_kind: 'RECORD_FINISHED', user_id: userId, record } }),
  testWebhook: ({ webhook }) => ({ body: { id: webhook } }),
  createApiKey: (_, { userId }) => ({ body: { user_id: userId, scopes: ['webhooks:read'] } }),
  openSession: (_, { key }) => ({ body: { key } }),
  leaveSession: () => ({}),
  deleteApiKey: ({ apiKey }) => ({ query: { id: apiKey } }),
  eraseRecord: (_, { userId }) => ({ query: { record_id: record.id, user_id: userId } }),
  deleteEvent: ({ event }) => ({ query: { id: event } }),
  deleteWebhook: ({ webhook }) => ({ query: { id: webhook } }),
};

const secretsIn = (text: string) => text.match(/wh\w+_[\w+/=-]{20,}/g) ?? [];

/** What everybody is told in the same words. */
const ALIKE = ['listEventKinds', 'testFilter', 'leaveSession'];

/** Whether a cache may keep an answer whose caller it cannot tell from others: by a cookie, say, in place of a key. */
const isKept = (method: string, { status, headers }: Pick<Answer, 'status' | 'headers'>) =>
  [true, false].some((shared) =>
    new CachePolicy(
      { method, headers: {} },
      { status, headers: Object.fromEntries(headers) },
      { shared },
    ).storable(),
  );

const HOSTS = [
  { adapter: 'Express', Interceptor: CacheInterceptor, name: 'CacheInterceptor', looksUp: null },
  { adapter: 'Fastify', Interceptor: ByUrl, name: 'CacheInterceptor with keys of its own', looksUp: 'MISS' },
] as const;

describe.each(HOSTS)(
  'in a host with $adapter and a $name for all routes',
  ({ adapter, Interceptor, looksUp }) => {
    const host = useHost(SQLITE, {
      adapter,
      imports: [CacheModule.register({ isGlobal: true })],
      providers: [{ provide: APP_INTERCEPTOR, useClass: Interceptor }],
      webhooks: webhookModule({ delivery: { retryScheduleMs: [3_600_000] } }),
    });
    const open = useStreams();
    let first: Caller;
    let second: Caller;
    let its: Owned;

    const as = ({ key }: Caller) => ({
      call: (method: string, path: string, body?: unknown) => host.call(method, path, body, { key }),
    });

    beforeAll(async () => {
      const keys = host.get(ApiKeyService);
      const caller = (...scopes: ApiKey['scopes']) => keys.create({ userId: newUser(), scopes });
      // Sees everything, so that more could cross.
      first = await caller('admin');
      second = await caller('webhooks:read', 'webhooks:write', 'notifications:write');
      await createWebhook(as(second));
      await trigger(as(second), second.userId);
      const webhook = await createWebhook(as(first));
      const signing = await createWebhook(as(first), {
        events: [],
        signature: { scheme: 'standard-asymmetric' },
      });
      const fired = await attempted(as(first), await trigger(as(first), first.userId));
      const recovery = { id: signing.id, since: '2020-01-01T00:00:00Z' };
      its = {
        webhook: webhook.id,
        signing: signing.id,
        event: webhook.events[0].id,
        trigger: fired.id,
        notification: fired.notification_id,
        recovery: (await as(first).call('POST', '/v1/webhook/recover', recovery)).body.id,
        apiKey: (await caller('webhooks:read')).id,
      };
      const counted = async (by: Caller) =>
        (await as(by).call('GET', '/v1/webhook/stats')).body.total.attempts;
      await until(async () => (await counted(first)) > (await counted(second)));
    });

    /** What a stream brings while something happens to both. */
    async function streamed(path: string, caller: Caller) {
      const stream = await open(host.url + path, caller);
      await trigger(as(first), first.userId);
      const { text } = await notify(as(caller), caller.userId);
      await stream.when(({ id }) => text.includes(id));
      const headers = new Headers(stream.response.headers as Record<string, string>);
      return { status: 200, headers, text: JSON.stringify(stream.events) };
    }

    async function ask({ name, method, path }: Operation, caller: Caller) {
      const { query, body } = REQUESTS[name]?.(its, caller) ?? {};
      const asked = query ? `${path}?${new URLSearchParams(query)}` : path;
      return path.endsWith('/stream') ? streamed(asked, caller) : as(caller).call(method, asked, body);
    }

    it("no operation answers with what is another caller's, and no cache may keep its answer", async () => {
      const found: object[] = [];
      const expected: object[] = [];
      for (const name of Object.keys(REQUESTS)) {
        const operation = operations.find((one) => one.name === name) as Operation;
        const [own, other] = [await ask(operation, first), await ask(operation, second)];
        const marks = [first.userId, ...Object.values(its), ...secretsIn(own.text)];
        found.push({
          name,
          isAnswered: own.status < 300,
          isAlike: own.text === other.text,
          crossed: marks.filter((mark) => other.text.includes(mark)),
          kept: [own, other].filter((answer) => isKept(operation.method, answer)).length,
        });
        expected.push({ name, isAnswered: true, isAlike: ALIKE.includes(name), crossed: [], kept: 0 });
      }
      expect(found).toEqual(expected);
      expect(expected).toHaveLength(operations.length);
    });

    it.each(['/v1/webhook/list', '/v1/webhook/trigger/list', '/v1/notification/list', '/v1/me'])(
      'everybody gets what is his of %s',
      async (path) => {
        for (const caller of [first, second])
          expect((await as(caller).call('GET', path)).text).toContain(caller.userId);
      },
    );

    it('no cache may keep a refusal, whoever refuses', async () => {
      const path = '/v1/webhook/list';
      const refused = [
        await host.call('GET', path),
        await host.call('GET', path, undefined, { headers: { 'x-user': 'banned' } }),
        await as(second).call('GET', '/v1/api-key/list'),
        await as(second).call('GET', `/v1/webhook?id=${its.webhook}`),
        await as(second).call('GET', '/v1/webhook?id=x'),
      ];
      expect(refused.map(({ status }) => status)).toEqual([401, 403, 403, 404, 400]);
      const rules = refused.map(({ headers }) => headers.get('cache-control'));
      expect(new Set(rules)).toEqual(new Set(['no-store']));
    });

    it("the application's own routes are cached as before", async () => {
      const twice = async (path: string) => {
        await as(first).call('GET', path);
        return as(first).call('GET', path);
      };
      const order = await twice('/v2/orders');
      expect(order.headers.get('x-cache')).toBe('HIT');
      expect(isKept('GET', order)).toBe(true);
      expect((await twice('/v1/me')).headers.get('x-cache')).toBe(looksUp);
    });
  },
);
