import { afterEach, describe, expect, it } from '@jest/globals';
import { type CanActivate, HttpException, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookModule } from '../../src/index.js';
import { HOST_KEYS, hostDataSource } from '../support/host.js';
import { call } from '../support/service.js';

let refusal: HttpException | null = null;

/** Refuses as the application's own guards do, such as a ThrottlerGuard. */
const refusing: CanActivate = {
  canActivate() {
    if (refusal) throw refusal;
    return true;
  },
};

describe.each(['Express', 'Fastify'] as const)('a host with %s', (adapter) => {
  let app: INestApplication | undefined;
  afterEach(() => app?.close());

  async function start(bodyParser = true, prepare = (_app: INestApplication) => {}): Promise<string> {
    @Module({
      imports: [
        EventEmitterModule.forRoot(),
        TypeOrmModule.forRoot(hostDataSource('sqlite::memory:')),
        WebhookModule.forRoot({
          encryptionKeys: HOST_KEYS,
          guards: [refusing],
          principal: () => ({ userId: 'ada' }),
        }),
      ],
    })
    class HostModule {}
    const http = adapter === 'Express' ? new ExpressAdapter() : new FastifyAdapter();
    const made = await NestFactory.create(HostModule, http, {
      logger: false,
      bodyParser,
      abortOnError: false,
    });
    app = made;
    prepare(made);
    await made.listen(0, '127.0.0.1');
    return (await made.getUrl()).replace('[::1]', '127.0.0.1');
  }

  it('has the refusals of its own guards told as what they are', async () => {
    const url = await start();
    const told = async (status: number) => {
      refusal = new HttpException('ThrottlerException: Too Many Requests', status);
      const { body, status: answered } = await call(`${url}/v1/webhook/list`, 'GET', undefined, {
        key: null,
      });
      refusal = null;
      return [answered, body.status, body.title, body.code, body.detail];
    };
    expect(await told(429)).toEqual([
      429,
      429,
      'Too Many Requests',
      'rate_limited',
      'The application takes no more calls of this caller at the moment; try again later.',
    ]);
    const text = (name: string) => `The application does not answer this call: ${name}.`;
    expect(await told(402)).toEqual([
      402,
      402,
      'Payment Required',
      'payment_required',
      text('Payment Required'),
    ]);
    expect(await told(409)).toEqual([409, 409, 'Conflict', 'conflict', text('Conflict')]);
    expect(await told(503)).toEqual([
      503,
      503,
      'Service Unavailable',
      'service_unavailable',
      text('Service Unavailable'),
    ]);
    expect((await told(500)).slice(0, 4)).toEqual([500, 500, 'Internal Server Error', 'internal_error']);
  });

  const create = (url: string) =>
    call(`${url}/v1/webhook`, 'POST', { name: 'w', url: 'https://1.1.1.1/', events: [] }, { key: null });

  it('that parses no bodies is told so', async () => {
    // Fastify parses JSON by itself.
    const url = await start(adapter === 'Fastify');
    const answer = await create(url);
    if (adapter === 'Fastify') return expect(answer.status).toBe(201);
    expect(answer).toMatchObject({
      status: 500,
      body: { code: 'body_not_parsed', detail: expect.stringContaining('bodyParser: false') },
    });
    // Nothing was sent that could have been parsed.
    expect(await call(`${url}/v1/webhook`, 'POST', undefined, { key: null })).toMatchObject({ status: 400 });
  });

  it('that leaves bodies as bytes is told so', async () => {
    const url = await start(false, (made) => {
      if (adapter === 'Express') {
        (made as unknown as { useBodyParser(type: string, options: object): void }).useBodyParser('raw', {
          type: 'application/json',
        });
      } else {
        const fastify = made.getHttpAdapter().getInstance();
        fastify.removeAllContentTypeParsers();
        fastify.addContentTypeParser(
          'application/json',
          { parseAs: 'buffer' },
          (_: unknown, body: Buffer, done: (error: null, body: Buffer) => void) => done(null, body),
        );
      }
    });
    expect(await create(url)).toMatchObject({ status: 500, body: { code: 'body_not_parsed' } });
  });
});
