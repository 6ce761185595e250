import { describe, expect, it } from '@jest/globals';
import { type CallHandler, ClassSerializerInterceptor, type ExecutionContext } from '@nestjs/common';
import { APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import { map } from 'rxjs';
import { SQLITE } from '../support/databases.js';
import { until } from '../support/until.js';
import { webhookModule } from './application.js';
import { ADAPTERS, type HostFixture, useHost } from './use-host.js';

const record = '{"10":-0,"id":"r","9":12345678901234567890,"text":"\\u0041é","analysis":[]}';

/** Interceptors that an application may apply to all answers: one wraps, the other leaves out nearly all of them. */
const envelope = {
  intercept: (_: ExecutionContext, next: CallHandler) =>
    next.handle().pipe(map((answer) => ({ ok: true, answer }))),
};
const serializer = new ClassSerializerInterceptor(new Reflector(), {
  strategy: 'excludeAll',
  excludeExtraneousValues: true,
  excludePrefixes: ['n'],
  groups: ['public'],
  version: 1,
});

describe.each(ADAPTERS)('answers of the API in a host with %s', (adapter) => {
  const hostWith = (...interceptors: object[]) =>
    useHost(SQLITE, {
      adapter,
      providers: interceptors.map((useValue) => ({ provide: APP_INTERCEPTOR, useValue })),
      webhooks: webhookModule({ principal: () => ({ userId: 'ada', scopes: ['admin'] }) }),
    });
  const plain = hostWith();
  const serialized = hostWith(serializer);
  const wrapped = hostWith(envelope, new ClassSerializerInterceptor(new Reflector()));

  const notify = (host: HostFixture) =>
    host.call('POST', '/v1/notification', undefined, {
      raw: `{"event_kind":"RECORD_FINISHED","user_id":"ada","record":${record}}`,
    });
  const create = (host: HostFixture) =>
    host.call('POST', '/v1/webhook', {
      name: 'mine',
      url: 'http://127.0.0.1:31151/',
      headers: { 'X-Note': 'a' },
      metadata: { note: 'b' },
      events: ['RECORD_FINISHED'],
    });

  /** Makes one of everything, and reads it. */
  async function answersOf(host: HostFixture) {
    const created = await create(host);
    const notified = await notify(host);
    await until(async () => {
      const { body } = await host.call('GET', `/v1/webhook/trigger?id=${notified.body.triggers[0].id}`);
      return body.attempt_count === 1 && body.status === 'PENDING';
    });
    const paths = [
      `/v1/webhook?id=${created.body.id}`,
      '/v1/webhook/list',
      '/v1/webhook/trigger/list?include=data',
      `/v1/notification?id=${notified.body.id}`,
      '/v1/notification/list',
      '/v1/me',
      '/v1/webhook/event/kind/list',
      '/v1/webhook?id=x',
    ];
    return [created, notified, ...(await Promise.all(paths.map((path) => host.call('GET', path))))];
  }

  it("are not what the application's serializer leaves of them, and are kept by no cache", async () => {
    const fieldsOf = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([key, field]) => [key, fieldsOf(field)])
        : typeof value;
    const shown = ({ status, headers, body }: Awaited<ReturnType<typeof create>>) => ({
      status,
      fields: fieldsOf(body),
      cached: headers.get('cache-control'),
    });
    const expected = (await answersOf(plain)).map(shown);
    expect((await answersOf(serialized)).map(shown)).toEqual(expected);
    expect(new Set(expected.map(({ cached }) => cached))).toEqual(new Set(['no-store']));
  });

  it("show a request's body byte for byte, inside the envelope of the application", async () => {
    await create(wrapped);
    await notify(wrapped);
    const listed = await wrapped.call('GET', '/v1/webhook/trigger/list?include=data');
    expect(listed.text).toContain(`"body":{"data":${record},"triggered_at":`);
    expect(listed.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const [{ id }] = listed.body.answer.data;
    const found = await wrapped.call('GET', `/v1/webhook/trigger?id=${id}`);
    expect(found.text).toContain(`"body":{"data":${record},"triggered_at":`);
    expect(found.body).toMatchObject({ ok: true, answer: { id } });
    const refused = await wrapped.call('GET', '/v1/webhook/trigger?id=x');
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });
});
