import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { cookieOf, logIn, OWN } from './log-in.js';

describe.each(databases)('a session on $name', (kind) => {
  const service = useService(kind);
  let key: string;
  let cookie: string;

  beforeAll(async () => {
    key = await service.keyFor(newUser(), 'webhooks:read', 'webhooks:write');
    cookie = cookieOf(await logIn(service, key));
  });

  const by = (method: string, path: string, body: unknown, headers: Record<string, string>) =>
    service.call(method, path, body, { key: null, headers: { cookie, ...headers } });

  const here = () => service.url;
  const rows: [method: string, says: string, headers: () => Record<string, string>, isLetIn: boolean][] = [
    ['GET', 'same-origin', () => OWN, true],
    ['POST', 'same-origin', () => OWN, true],
    ['GET', 'none, as for an address that was typed', () => ({ 'sec-fetch-site': 'none' }), true],
    ['POST', 'none', () => ({ 'sec-fetch-site': 'none' }), false],
    ['GET', 'same-site, as another port is', () => ({ 'sec-fetch-site': 'same-site' }), false],
    ['POST', 'same-site', () => ({ 'sec-fetch-site': 'same-site' }), false],
    ['GET', 'cross-site', () => ({ 'sec-fetch-site': 'cross-site' }), false],
    [
      'GET',
      'cross-site, following a link',
      () => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }),
      false,
    ],
    ['POST', 'cross-site', () => ({ 'sec-fetch-site': 'cross-site', origin: here() }), false],
    ['GET', 'nothing, as over plain HTTP', () => ({}), true],
    ['POST', 'nothing', () => ({}), false],
    ['POST', 'its own Origin', () => ({ origin: here() }), true],
    ['GET', 'its own Origin', () => ({ origin: here() }), true],
    [
      'POST',
      'its own Origin over TLS, which a proxy ended',
      () => ({ origin: here().replace('http:', 'https:') }),
      true,
    ],
    ['POST', 'another Origin', () => ({ origin: 'https://evil.example' }), false],
    ['GET', 'another Origin', () => ({ origin: 'https://evil.example' }), false],
    ['POST', 'another port', () => ({ origin: 'http://127.0.0.1:1' }), false],
    ['POST', 'an Origin that begins like this one', () => ({ origin: `${here()}0` }), false],
    ['POST', 'an Origin that has this one as its user', () => ({ origin: `${here()}@evil.example` }), false],
    ['POST', 'an opaque Origin', () => ({ origin: 'null' }), false],
    ['POST', 'a file as Origin', () => ({ origin: 'file://' }), false],
    ['POST', 'no Origin at all', () => ({ origin: '' }), false],
  ];
  it.each(rows)(
    'is used by pages of the same origin only: %s with %s',
    async (method, _, headers, isLetIn) => {
      const body = method === 'POST' ? { ids: [] } : undefined;
      const path = method === 'POST' ? '/v1/webhook/trigger/retry' : '/v1/webhook/list';
      const answer = await by(method, path, body, headers());
      if (isLetIn) expect([200, 400]).toContain(answer.status);
      else {
        expectProblem(answer, 403, 'cross_site');
        expect(answer.headers.has('set-cookie')).toBe(false);
      }
    },
  );

  it('is neither opened nor left by another page', async () => {
    const others: Record<string, string>[] = [
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ];
    for (const headers of others) {
      expectProblem(await logIn(service, key, headers), 403, 'cross_site');
      expectProblem(await by('DELETE', '/v1/session', undefined, headers), 403, 'cross_site');
    }
    expect((await logIn(service, key, {})).status).toBe(201);
  });
});
