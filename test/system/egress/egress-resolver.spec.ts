import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemResolver } from '../../../src/network/dns/resolver.js';
import { useDnsServer } from '../../egress/dns-server.js';
import { hurry } from '../../support/hurry.js';
import { until } from '../../support/until.js';

/** The two seconds that a resolver takes at most are half a second here; c-ares by itself takes more than this. */
const AT_MOST_MS = 2000;

describe('the resolver', () => {
  const dns = useDnsServer();
  let undo = () => {};

  beforeAll(() => {
    undo = hurry(4);
  });
  afterAll(() => undo());

  async function timed<T>(work: Promise<T>): Promise<{ outcome: T | Error; ms: number }> {
    const start = performance.now();
    const outcome = await work.catch((error: Error) => error);
    return { outcome, ms: performance.now() - start };
  }

  it('gives up after 2 s when a name server does not answer', async () => {
    dns.set('receiver.test', 'silent');
    const { outcome, ms } = await timed(systemResolver({ servers: [dns.address] })('receiver.test'));
    expect(outcome).toBeInstanceOf(Error);
    expect(ms).toBeGreaterThan(450);
    expect(ms).toBeLessThan(AT_MOST_MS);
  });

  it('takes the addresses of one family within 2 s when the other is not answered', async () => {
    dns.set('receiver.test', (family) => (family === 'A' ? { A: ['8.8.8.8'] } : 'silent'));
    const { outcome, ms } = await timed(systemResolver({ servers: [dns.address] })('receiver.test'));
    expect(outcome).toEqual(['8.8.8.8']);
    expect(ms).toBeLessThan(AT_MOST_MS);
  });

  it('resolves other names while name servers do not answer', async () => {
    const silent = Array.from({ length: 100 }, (_, i) => `silent-${i}.test`);
    for (const name of silent) dns.set(name, 'silent');
    dns.set('receiver.test', { A: ['8.8.8.8'] });
    const resolve = systemResolver({ servers: [dns.address] });
    let waiting = silent.length;
    const all = silent.map((name) => resolve(name).catch(() => waiting--));
    await until(() => dns.queries.length >= 200);
    expect(await resolve('receiver.test')).toEqual(['8.8.8.8']);
    expect(waiting).toBe(100);
    await Promise.all(all);
    expect(waiting).toBe(0);
  });

  it('asks the system for two names at a time, each within its 2 s', async () => {
    const running = new Set<string>();
    const hangs: (() => void)[] = [];
    const lookup = (hostname: string) => {
      running.add(hostname);
      if (hostname.startsWith('quick')) return Promise.resolve(['192.168.65.2']);
      return new Promise<string[]>((resolve) => hangs.push(() => resolve(['192.168.65.3'])));
    };
    const resolve = systemResolver({ servers: [dns.address], lookup });
    const { outcome, ms } = await timed(
      Promise.all(['slow-1.test', 'slow-2.test', 'slow-3.test'].map((name) => timed(resolve(name)))),
    );
    expect(ms).toBeLessThan(AT_MOST_MS);
    expect(outcome).toEqual(Array(3).fill({ outcome: expect.any(Error), ms: expect.any(Number) }));
    // The first two still hold the threads; the third has left the queue.
    expect([...running]).toEqual(['slow-1.test', 'slow-2.test']);
    const quick = resolve('quick.test');
    hangs[0]?.();
    expect(await quick).toEqual(['192.168.65.2']);
    expect([...running]).toEqual(['slow-1.test', 'slow-2.test', 'quick.test']);
  });
});
