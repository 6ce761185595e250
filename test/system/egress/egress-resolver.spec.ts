import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ResolverOptions, systemResolver } from '../../../src/network/dns/resolver.js';
import { DnsServer, type Zone } from '../../egress/dns-server.js';
import { until } from '../../support/until.js';

const nobody = async (): Promise<string[]> => {
  throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
};

describe('the resolver', () => {
  let dns: DnsServer;
  let now: number;

  beforeEach(async () => {
    dns = await DnsServer.start();
    now = 0;
  });
  afterEach(() => dns.close());

  const resolver = (options: ResolverOptions = {}) =>
    systemResolver({ servers: [dns.address], lookup: nobody, now: () => now, ...options });

  async function timed<T>(work: Promise<T>): Promise<{ outcome: T | Error; ms: number }> {
    const start = performance.now();
    const outcome = await work.catch((error: Error) => error);
    return { outcome, ms: performance.now() - start };
  }

  describe('when a name server does not answer', () => {
    it('gives up after 2 s', async () => {
      dns.set('receiver.test', 'silent');
      const { outcome, ms } = await timed(resolver()('receiver.test'));
      expect(outcome).toBeInstanceOf(Error);
      expect(ms).toBeGreaterThan(1_900);
      expect(ms).toBeLessThan(2_500);
    });

    it.each<[string, Zone]>([
      ['fails', (family) => (family === 'A' ? { A: ['8.8.8.8'] } : 'servfail')],
      ['is silent', (family) => (family === 'A' ? { A: ['8.8.8.8'] } : 'silent')],
    ])('for one family, which %s, takes the other', async (_what, zone) => {
      dns.set('receiver.test', zone);
      const { outcome, ms } = await timed(resolver()('receiver.test'));
      expect(outcome).toEqual(['8.8.8.8']);
      expect(ms).toBeLessThan(2_500);
    });

    it('resolves other names meanwhile', async () => {
      const silent = Array.from({ length: 100 }, (_, i) => `silent-${i}.test`);
      for (const name of silent) dns.set(name, 'silent');
      dns.set('receiver.test', { A: ['8.8.8.8'] });
      const resolve = resolver();
      let waiting = silent.length;
      const all = silent.map((name) => resolve(name).catch(() => waiting--));
      await until(() => dns.queries.length >= 200);
      expect(await resolve('receiver.test')).toEqual(['8.8.8.8']);
      expect(waiting).toBe(100);
      await Promise.all(all);
      expect(waiting).toBe(0);
    });
  });

  describe('asks the system', () => {
    it('for two names at a time, each within its 2 s', async () => {
      const running = new Set<string>();
      const hangs: (() => void)[] = [];
      const lookup = (hostname: string) => {
        running.add(hostname);
        if (hostname.startsWith('quick')) return Promise.resolve(['192.168.65.2']);
        return new Promise<string[]>((resolve) => hangs.push(() => resolve(['192.168.65.3'])));
      };
      const resolve = resolver({ lookup });
      const { outcome, ms } = await timed(
        Promise.all(['slow-1.test', 'slow-2.test', 'slow-3.test'].map((name) => timed(resolve(name)))),
      );
      expect(ms).toBeLessThan(2_500);
      expect(outcome).toEqual(Array(3).fill({ outcome: expect.any(Error), ms: expect.any(Number) }));
      // The first two still hold the threads; the third has left the queue.
      expect([...running]).toEqual(['slow-1.test', 'slow-2.test']);
      const quick = resolve('quick.test');
      hangs[0]?.();
      expect(await quick).toEqual(['192.168.65.2']);
      expect([...running]).toEqual(['slow-1.test', 'slow-2.test', 'quick.test']);
    });
  });
});
