import { beforeEach, describe, expect, it } from '@jest/globals';
import { TestClock } from '../../module/testing/test-clock.js';
import type { Exchange, OutgoingRequest, Transport } from '../../network/transport/transport.js';
import { AccessTokens, type TokenClient } from './access-tokens.js';

const settings = {
  type: 'oauth2' as const,
  tokenUrl: 'https://login.example.com/token',
  clientId: 'a',
  clientSecret: 's3cret',
  scope: null,
  audience: null,
};
const client = (webhookId = 'w', more: Partial<TokenClient['settings']> = {}): TokenClient => ({
  webhookId,
  settings: { ...settings, ...more },
  timeoutMs: 1000,
});

describe('AccessTokens', () => {
  let clock: TestClock;
  let asked: OutgoingRequest[];
  let lifetime: number;
  /** Null lets it hang. */
  let status: number | null;
  let tokens: AccessTokens;
  const open = new AbortController().signal;

  beforeEach(() => {
    clock = new TestClock();
    asked = [];
    lifetime = 3600;
    status = 200;
    const transport: Transport = {
      send: async (request): Promise<Exchange> => {
        asked.push(request);
        if (status === null) return new Promise(() => {});
        const body = JSON.stringify({
          access_token: `t${asked.length}`,
          token_type: 'bearer',
          expires_in: lifetime,
        });
        return { response: { status, headers: {}, body, truncated: false }, error: null, phases: {} };
      },
      close: async () => {},
    };
    tokens = new AccessTokens(transport, clock);
  });

  const get = async (one = client(), refused?: string) => {
    const outcome = await tokens.get(one, open, refused);
    return 'token' in outcome ? outcome.token : outcome.error;
  };

  it.each([
    [3600, 3570],
    [100, 80],
    [1, 0.8],
  ])('holds a token of %s s for %s s', async (seconds, held) => {
    lifetime = seconds;
    expect(await get()).toBe('t1');
    clock.advance(held * 1000 - 1);
    expect(await get()).toBe('t1');
    clock.advance(1);
    expect(await get()).toBe('t2');
  });

  it('asks once for all who want one at that time, and for each webhook by itself', async () => {
    expect(await Promise.all([get(), get(), get(client('other'))])).toEqual(['t1', 't1', 't2']);
    expect(await Promise.all([get(), get(client('other'))])).toEqual(['t1', 't2']);
  });

  it('renews a refused token once, however many saw it refused', async () => {
    await get();
    expect(await Promise.all([get(client(), 't1'), get(client(), 't1')])).toEqual(['t2', 't2']);
    expect(await get(client(), 't1')).toBe('t2');
    expect(asked).toHaveLength(2);
  });

  it('holds a token for exactly its settings', async () => {
    await get();
    expect(await get(client())).toBe('t1');
    for (const more of [{ clientSecret: 'new' }, { scope: 'x' }, { audience: 'x' }, { clientId: 'b' }])
      await get(client('w', more));
    expect(asked).toHaveLength(5);
  });

  it('lets go who is out of time, and tries again after a failure', async () => {
    status = null;
    const deadline = new AbortController();
    const waiting = tokens.get(client(), deadline.signal);
    deadline.abort();
    expect(await waiting).toEqual({
      error: { code: 'auth', message: 'The token endpoint did not answer in time.' },
    });
    status = 503;
    const other = client('other');
    expect(await get(other)).toEqual({ code: 'auth', message: 'The token endpoint answered 503.' });
    status = 200;
    expect(await get(other)).toBe(`t${asked.length}`);
  });

  it('does not hold more than it may', async () => {
    for (let n = 0; n < 10_001; n++) await get(client(`w${n}`));
    expect(await get(client('w10000'))).toBe('t10001');
    expect(await get(client('w0'))).toBe('t10002');
  });
});
