import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, HttpException, type INestApplication, UseFilters } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Problem, WebhookProblemFilter, WebhookService } from '../../src/index.js';
import { NO_ID } from '../support/api.js';
import { type Answer, call } from '../support/service.js';
import { database, emitter, webhookModule } from './application.js';
import { ADAPTERS } from './use-host.js';

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
    return this.webhooks.create('ada', { name: '', url: 'http://127.0.0.1:31151/' });
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

let refusal: HttpException | null = null;

/** Refuses as the application's own guards do, such as a ThrottlerGuard. */
const refusing = {
  canActivate() {
    if (refusal) throw refusal;
    return true;
  },
};

/** An application without filters and guards of its own, but for that of the webhooks. */
async function startPlain(
  adapter: (typeof ADAPTERS)[number],
  bodyParser = true,
  prepare = (_app: INestApplication) => {},
) {
  const HostModule = {
    module: class HostModule {},
    imports: [
      emitter(),
      database(),
      webhookModule({ guards: [refusing], principal: () => ({ userId: 'ada' }), isGlobal: true }),
    ],
    controllers: [OrdersController],
  };
  const http = adapter === 'Express' ? new ExpressAdapter() : new FastifyAdapter();
  const options = { logger: false, bodyParser, abortOnError: false } as const;
  const app = await NestFactory.create(HostModule, http, options);
  prepare(app);
  await app.listen(0, '127.0.0.1');
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  return {
    app,
    call: (method: string, path: string, body?: object): Promise<Answer> =>
      call(url + path, method, body, { key: null }),
  };
}

describe.each(ADAPTERS)('a host with %s', (adapter) => {
  let host: Awaited<ReturnType<typeof startPlain>>;

  beforeEach(async () => {
    refusal = null;
    host = await startPlain(adapter);
  });
  afterEach(() => host.app.close());

  it('has problems in its own routes answered with their status, code and detail by Nest alone', async () => {
    const answer = await host.call('GET', '/orders/missing');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.body).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'There is no webhook with this id.',
      code: 'not_found',
    });
    expect(await host.call('GET', '/orders/invalid')).toMatchObject({
      status: 400,
      body: {
        status: 400,
        code: 'validation_failed',
        detail: 'A field is not valid; see "errors".',
        errors: [{ pointer: '/name', message: 'must not be empty' }],
      },
    });
    expect((await host.call('GET', '/orders/limited')).status).toBe(429);
  });

  it('has them answered as problem details with their headers by WebhookProblemFilter', async () => {
    const answer = await host.call('GET', '/orders/filtered');
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

  it('has the refusals of its own guards told as what they are', async () => {
    for (const [status, title, code, detail = `The application does not answer this call: ${title}.`] of [
      [429, 'Too Many Requests', 'rate_limited', expect.stringContaining('try again later')],
      [402, 'Payment Required', 'payment_required'],
      [409, 'Conflict', 'conflict'],
      [503, 'Service Unavailable', 'service_unavailable'],
      [500, 'Internal Server Error', 'internal_error', expect.anything()],
    ] as const) {
      refusal = new HttpException('ThrottlerException: Too Many Requests', status);
      const answer = await host.call('GET', '/v1/webhook/list');
      expect(answer).toMatchObject({ status, body: { status, title, code, detail } });
    }
  });
});

it.each<[(typeof ADAPTERS)[number], does: string, prepare: (app: INestApplication) => void]>([
  ['Express', 'parses no bodies', () => {}],
  [
    'Express',
    'leaves bodies as bytes',
    (app) => (app as NestExpressApplication).useBodyParser('raw', { type: 'application/json' }),
  ],
  [
    'Fastify',
    'leaves bodies as bytes',
    (app) => {
      const fastify = app.getHttpAdapter().getInstance();
      fastify.removeAllContentTypeParsers();
      fastify.addContentTypeParser(
        'application/json',
        { parseAs: 'buffer' },
        (_: unknown, body: Buffer, done: (error: null, body: Buffer) => void) => done(null, body),
      );
    },
  ],
])('a host with %s that %s is told so', async (adapter, _does, prepare) => {
  refusal = null;
  const host = await startPlain(adapter, false, prepare);
  const webhook = { name: 'w', url: 'https://1.1.1.1/', events: [] };
  expect(await host.call('POST', '/v1/webhook', webhook)).toMatchObject({
    status: 500,
    body: { code: 'body_not_parsed', detail: expect.stringContaining('bodyParser: false') },
  });
  // Nothing was sent that could have been parsed.
  expect(await host.call('POST', '/v1/webhook')).toMatchObject({ status: 400 });
  await host.app.close();
});

describe('a problem', () => {
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
