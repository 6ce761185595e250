import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CallHandler,
  ClassSerializerInterceptor,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import { WebhookModule } from '../../src/index.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { HOST_KEYS } from '../support/host.js';
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
