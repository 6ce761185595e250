import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TriggerService, WebhookService } from '../../src/index.js';
import { NO_ID } from '../support/api.js';
import { useCallDeadline } from '../support/call-deadline.js';
import { SQLITE } from '../support/databases.js';
import { webhookModule } from './application.js';
import { useHost, useKeptLog } from './use-host.js';

const VICTIM = 'victim';
const webhook = { name: "the victim's", url: 'http://127.0.0.1:31151/' };

/** Principals that an application may return by mistake. */
const JUNK: [string, unknown][] = [
  ['undefined', undefined],
  ['false', false],
  ['an empty text', ''],
  ['0', 0],
  ['the id by itself', VICTIM],
  ['an array of ids', [VICTIM]],
  ['nothing at all', {}],
  ['null for the user', { userId: null }],
  ['a number for the user', { userId: 7 }],
  ['an array for the user', { userId: [VICTIM] }],
  ['an object for the user', { userId: { $ne: '' } }],
  ['a String for the user', { userId: new String(VICTIM) }],
  ['an empty user', { userId: '' }],
  ['a user with a blank behind', { userId: `${VICTIM} ` }],
  ['a user with a NUL', { userId: `${VICTIM}\u0000` }],
  ['too long a user', { userId: 'x'.repeat(129) }],
  ['a text for scopes', { userId: VICTIM, scopes: 'no-webhooks:read-at-all' }],
  ['null for scopes', { userId: VICTIM, scopes: null }],
  ['an unknown scope', { userId: VICTIM, scopes: ['webhooks:read', 'webhooks:*'] }],
  ['an object for scopes', { userId: VICTIM, scopes: { includes: () => true } }],
  ['a number for the client', { userId: VICTIM, clientId: 1 }],
  ['an empty client', { userId: VICTIM, clientId: '' }],
  ['null for the client', { userId: VICTIM, clientId: null }],
];

describe('the principal that a host returns', () => {
  let said: unknown;
  const log = useKeptLog();
  const host = useHost(SQLITE, {
    logger: log,
    webhooks: webhookModule({ principal: () => said as never, rateLimitPerMinute: 0 }),
  });

  beforeAll(() => host.get(WebhookService).create(VICTIM, webhook));

  const ask = (principal: unknown) => {
    said = principal;
    return host.call('GET', '/v1/webhook/list');
  };
  const logged = () =>
    log.entries
      .flat()
      .map((entry) => (entry instanceof Error ? entry.stack : String(entry)))
      .join('\n');

  it.each(JUNK)('lets nobody in when it is %s, and logs the reason', async (_, junk) => {
    const answer = await ask(junk);
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    expect(answer.text).not.toContain(VICTIM);
    expect(logged()).toMatch(/principal.*(must|has|is)/);
    expect(logged()).not.toContain(VICTIM);
  });

  it('is told from the database when it cannot reach what it needs', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:6379'), { code: 'ECONNREFUSED' });
    const failed = Promise.reject(away);
    failed.catch(() => {});
    expect(await ask(failed)).toMatchObject({
      status: 503,
      body: { code: 'caller_unknown', detail: expect.not.stringContaining('192.0.2.1') },
    });
    expect(logged()).toMatch(/principal\(request\) cannot reach what it needs \(connect ECONNREFUSED/);
  });

  describe('when it does not answer', () => {
    useCallDeadline(0);

    it('is told from the database as well', async () => {
      const answer = await ask(new Promise(() => {}));
      expect(answer).toMatchObject({ status: 503, body: { code: 'caller_unknown' } });
      expect(answer.headers.get('retry-after')).toBe('5');
    });
  });

  it('is accepted when it is valid', async () => {
    const seen = async (principal: unknown) => (await ask(principal)).body.data.length;
    expect((await ask(null)).status).toBe(401);
    expect(await seen({ userId: VICTIM })).toBe(1);
    expect(await seen(Promise.resolve({ userId: VICTIM, clientId: 'a', more: 1 }))).toBe(1);
    expect(await seen({ userId: 'x'.repeat(128), scopes: ['webhooks:read'] })).toBe(0);
    expect((await ask({ userId: VICTIM, scopes: [] })).status).toBe(403);
    expect(await seen({ userId: 'root', scopes: ['admin'] })).toBe(1);
  });

  it("never gives access to a user's webhooks unless it names that user", async () => {
    const isVictim = (value: unknown) => (value as { userId?: unknown } | null)?.userId === VICTIM;
    const caller = fc.record(
      {
        userId: fc.oneof(fc.anything(), fc.string(), fc.constant([VICTIM])),
        scopes: fc.oneof(fc.anything(), fc.constant(['webhooks:read'])),
        clientId: fc.anything(),
      },
      { requiredKeys: [] },
    );
    const property = fc.asyncProperty(fc.oneof(caller, fc.anything()), async (junk) => {
      fc.pre(!isVictim(junk));
      const answer = await ask(junk);
      expect([200, 401, 403, 500]).toContain(answer.status);
      expect(answer.text).not.toContain("the victim's");
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('is also checked when a service is called directly', async () => {
    const webhooks = host.get(WebhookService);
    const triggers = host.get(TriggerService);
    for (const owner of [undefined, 0, false, [VICTIM], '0 OR 1'.length, { userId: VICTIM }] as never[]) {
      await expect(webhooks.list(owner, { limit: 10 })).rejects.toThrow(TypeError);
      await expect(webhooks.find(owner, NO_ID)).rejects.toThrow(TypeError);
      await expect(webhooks.create(owner, webhook)).rejects.toThrow();
      await expect(triggers.list(owner, { limit: 10 })).rejects.toThrow(TypeError);
      await expect(triggers.find(owner, NO_ID)).rejects.toThrow(TypeError);
      await expect(triggers.retry(owner, NO_ID)).rejects.toThrow(TypeError);
    }
  });
});
