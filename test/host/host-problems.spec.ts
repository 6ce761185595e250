import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, HttpException, type INestApplication, Module, UseFilters } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Problem, WebhookModule, WebhookProblemFilter, WebhookService } from '../../src/index.js';
import { NO_ID } from '../support/api.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { HOST_KEYS, hostDataSource } from '../support/host.js';
import { type Answer, call } from '../support/service.js';

/** Routes of the application that let a service's problem through. */
@Controller('orders')
class OrdersController {
  constructor(private readonly webhooks: WebhookService) {}

  @Get('missing')
  missing() {
    return this.webhooks.find('ada', NO_ID);
  }

  @Get('invalid')
  invalid() {
    return this.webhooks.create('ada', { name: '', url: 'http://127.0.0.1:49151/' });
  }

  @Get('limited')
  limited() {
    throw new Problem(429, 'rate_limited', 'Try again in 7 s.', { headers: { 'Retry-After': '7' } });
  }

  @Get('filtered')
  @UseFilters(WebhookProblemFilter)
  filtered() {
    return this.limited();
  }
}

describe.each(['Express', 'Fastify'] as const)('a problem in a route of a host with %s', (adapter) => {
  const [kind] = databases;
  let database: TestDatabase;
  let app: INestApplication;
  let get: (path: string) => Promise<Answer>;

  beforeAll(async () => {
    database = (await kind?.create()) as TestDatabase;
    const webhooks = WebhookModule.forRoot({
      encryptionKeys: HOST_KEYS,
      egress: { allowPrivateNetwork: true },
      routes: false,
    });

    @Module({
      imports: [EventEmitterModule.forRoot(), TypeOrmModule.forRoot(hostDataSource(database.url)), webhooks],
      controllers: [OrdersController],
    })
    class HostModule {}

    const http = adapter === 'Express' ? new ExpressAdapter() : new FastifyAdapter();
    app = await NestFactory.create(HostModule, http, { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    get = (path) => call(`${url}/orders/${path}`, 'GET', undefined, { key: null });
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  it('is answered with its status, code and detail by Nest alone', async () => {
    const answer = await get('missing');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.body).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'There is no webhook with this id.',
      code: 'not_found',
    });
  });

  it('names the invalid fields', async () => {
    const answer = await get('invalid');
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      status: 400,
      code: 'validation_failed',
      detail: 'A field is not valid; see "errors".',
      errors: [{ pointer: '/name', message: 'must not be empty' }],
    });
  });

  it('is answered as problem details with its headers by WebhookProblemFilter', async () => {
    expect((await get('limited')).status).toBe(429);
    const answer = await get('filtered');
    expect(answer.status).toBe(429);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(answer.body).toEqual({
      type: 'about:blank',
      title: 'Too Many Requests',
      status: 429,
      detail: 'Try again in 7 s.',
      instance: '/orders/filtered',
      code: 'rate_limited',
    });
  });

  it('is an HttpException with its own name and message', () => {
    const problem = new Problem(409, 'too_late', 'It is gone.');
    expect(problem).toBeInstanceOf(HttpException);
    expect(problem.getStatus()).toBe(409);
    expect(problem).toMatchObject({ name: 'Problem', message: 'It is gone.', status: 409, code: 'too_late' });
  });

  it('names the first invalid fields in its message, on one line, and all of them in its errors', () => {
    const errors = Array.from({ length: 12 }, (_, index) => ({
      pointer: `/record/${index}\n`,
      message: 'must be a text',
    }));
    const problem = new Problem(400, 'validation_failed', 'Some fields are not valid.', { errors });
    expect(problem.detail).toBe('Some fields are not valid.');
    expect(problem.errors).toBe(errors);
    expect(problem.message).toMatch(
      /^Some fields are not valid\. \(\/record\/0\\u000a must be a text; \/record\/1.* must be a text; and 2 more\)$/,
    );
    expect(problem.message).not.toContain('/record/10');
  });
});
