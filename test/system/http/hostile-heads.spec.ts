import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildConsole, serveConsole } from '../../console/built-console.js';
import { SQLITE } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { ADMIN_KEY } from '../../support/service.js';
import { HEADERS, TEXT_PARTS } from '../fuzz/costly.js';
import { leastBlockMs } from '../support/computing.js';

/** Node takes heads of 16 KiB. */
const BYTES = 15_000;
/** What one head may compute: linear work on 15,000 characters takes a few milliseconds, quadratic work 180. */
const COMPUTED_MS = 80;

const PATHS = ['/', '/console/icon.svg', '/console/', '/docs', '/v1/me', '/v1/webhook/list', '/nowhere'];
const BEGINS: Record<string, string> = {
  'accept-encoding': 'gzip',
  authorization: 'Bearer x',
  'content-type': 'application/json;',
  cookie: 'webhook_session=',
  origin: 'http://',
  'x-forwarded-for': '::ffff:1',
};

describe('a hostile head of a request', () => {
  const service = useService(SQLITE, {
    TRUSTED_PROXIES: '127.0.0.1',
    UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '0',
  });
  const built = buildConsole();
  beforeAll(() => serveConsole(service.app, built.folder));
  afterAll(() => built.remove());
  const agent = new Agent({ keepAlive: true });

  const send = (path: string, headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const all = { authorization: `Bearer ${ADMIN_KEY}`, ...headers };
      request(service.url + path, { agent, headers: all }, (response) => {
        response.on('end', () => resolve(response.statusCode ?? 0)).resume();
      })
        .on('error', reject)
        .end();
    });

  const computed = (path: string, headers: Record<string, string>) =>
    leastBlockMs(async () => expect(await send(path, headers)).toBeLessThan(500), COMPUTED_MS);

  it.each(HEADERS)('computes little, whatever %s holds', async (name) => {
    for (const path of PATHS)
      for (const filling of TEXT_PARTS) {
        const begin = BEGINS[name] ?? 'x';
        const value = `${begin}${filling.repeat((BYTES - begin.length) / filling.length)}x`;
        const ms = await computed(path, { [name]: value });
        if (ms >= COMPUTED_MS) throw new Error(`${path} took ${ms} ms for ${JSON.stringify(filling)}`);
      }
  });

  it.each(PATHS)('computes little, whatever the query of %s holds', async (path) => {
    for (const filling of [
      ...TEXT_PARTS.filter((one) => one.trim() === one && !one.includes(' ')),
      'a=1&',
      'limit=1&',
      '%00',
    ])
      for (const at of ['', 'cursor=', 'since=', 'user_id=', 'name=']) {
        const query = `?${at}${encodeURI(filling)
          .replaceAll('%25', '%')
          .repeat(BYTES / filling.length / 2)}`;
        expect(await computed(path + query.slice(0, BYTES), {})).toBeLessThan(COMPUTED_MS);
      }
  });

  it.each(PATHS)('computes little for a long path below %s', async (path) => {
    for (const filling of ['/', '.', '/..', '/%2e', '%ff', '%2f', ';', 'a/', '*'])
      expect(await computed(`${path}/${filling.repeat(BYTES / filling.length)}`, {})).toBeLessThan(
        COMPUTED_MS,
      );
  });
});
