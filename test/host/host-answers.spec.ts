import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CallHandler,
  ClassSerializerInterceptor,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import { WebhookModule } from '../../src/index.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { HOST_KEYS } from '../support/host.js';
import { until } from '../support/until.js';
import { useHost } from './use-host.js';

/** An interceptor that an application may apply to all answers. */
@Injectable()
class Envelope implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((answer) => ({ ok: true, answer })));
  }
}

const record = '{"10":-0,"id":"r","9":12345678901234567890,"text":"\\u0041é","analysis":[]}';

describe.each(['Express', 'Fastify'] as const)('request bodies shown by a host with %s', (adapter) => {
  const host = useHost(databases[0] as TestDatabaseKind, {
    adapter,
    providers: [
      { provide: APP_INTERCEPTOR, useClass: Envelope },
      { provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor },
    ],
    webhooks: WebhookModule.forRoot({
      encryptionKeys: HOST_KEYS,
      egress: { allowPrivateNetwork: true },
      principal: () => ({ userId: 'ada', scopes: ['admin'] }),
    }),
  });

  beforeAll(async () => {
    await host.call('POST', '/v1/webhook', {
      name: 'mine',
      url: 'http://127.0.0.1:49151/',
      events: ['RECORD_FINISHED'],
    });
    await host.call('POST', '/v1/notification', undefined, {
      raw: `{"event_kind":"RECORD_FINISHED","user_id":"ada","record":${record}}`,
    });
  });

  it('are shown byte for byte, inside the envelope of the application', async () => {
    const listed = await host.call('GET', '/v1/webhook/trigger/list?include=data');
    expect(listed.text).toContain(`"body":{"data":${record},"triggered_at":`);
    expect(listed.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const [{ id }] = listed.body.answer.data;
    const found = await host.call('GET', `/v1/webhook/trigger?id=${id}`);
    expect(found.text).toContain(`"body":{"data":${record},"triggered_at":`);
    expect(found.body).toMatchObject({ ok: true, answer: { id } });
    const refused = await host.call('GET', '/v1/webhook/trigger?id=x');
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });
});

describe.each(['Express', 'Fastify'] as const)('answers of the API in a host with %s', (adapter) => {
  const webhooks = () =>
    WebhookModule.forRoot({
      encryptionKeys: HOST_KEYS,
      egress: { allowPrivateNetwork: true },
      principal: () => ({ userId: 'ada', scopes: ['admin'] }),
    });
  /** Leaves out nearly all that no decorator exposes. */
  const strict = new ClassSerializerInterceptor(new Reflector(), {
    strategy: 'excludeAll',
    excludeExtraneousValues: true,
    excludePrefixes: ['n'],
    groups: ['public'],
    version: 1,
  });
  const plain = useHost(databases[0] as TestDatabaseKind, { adapter, webhooks: webhooks() });
  const serialized = useHost(databases[0] as TestDatabaseKind, {
    adapter,
    providers: [{ provide: APP_INTERCEPTOR, useValue: strict }],
    webhooks: webhooks(),
  });

  /** Makes one of everything, and reads it. */
  async function answersOf(host: typeof plain) {
    const created = await host.call('POST', '/v1/webhook', {
      name: 'mine',
      url: 'http://127.0.0.1:49151/',
      headers: { 'X-Note': 'a' },
      metadata: { note: 'b' },
      events: ['RECORD_FINISHED'],
    });
    const notified = await host.call('POST', '/v1/notification', undefined, {
      raw: `{"event_kind":"RECORD_FINISHED","user_id":"ada","record":${record}}`,
    });
    await until(async () => {
      const { body } = await host.call('GET', `/v1/webhook/trigger?id=${notified.body.triggers[0].id}`);
      return body.attempt_count === 1 && body.status === 'PENDING';
    });
    const read = await Promise.all(
      [
        `/v1/webhook?id=${created.body.id}`,
        '/v1/webhook/list',
        '/v1/webhook/trigger/list?include=data',
        `/v1/notification?id=${notified.body.id}`,
        '/v1/notification/list',
        '/v1/me',
        '/v1/webhook/event/kind/list',
        '/v1/webhook?id=x',
      ].map((path) => host.call('GET', path)),
    );
    return [created, notified, ...read];
  }

  it("are not what the application's serializer leaves of them", async () => {
    const fieldsOf = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([key, field]) => [key, fieldsOf(field)])
        : typeof value;
    const [expected, answers] = [await answersOf(plain), await answersOf(serialized)];
    for (const [n, { status, body }] of answers.entries()) {
      expect({ n, status, fields: fieldsOf(body) }).toEqual({
        n,
        status: expected[n]?.status,
        fields: fieldsOf(expected[n]?.body),
      });
    }
  });

  it('are kept by no cache, also where they refuse', async () => {
    for (const { headers } of await answersOf(plain)) expect(headers.get('cache-control')).toBe('no-store');
  });
});
