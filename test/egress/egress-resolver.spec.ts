import { Resolver } from 'node:dns/promises';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AttemptFailure } from '../../src/network/attempt-failure.js';
import { type ResolverOptions, systemResolver } from '../../src/network/dns/resolver.js';
import { useTestClock } from '../support/fixture.js';
import { until } from '../support/until.js';
import { DnsServer, useDnsServer, type Zone } from './dns-server.js';

/** For how long a resolver goes on at most. */
const BUDGET_MS = 2000;

const nobody = async (): Promise<string[]> => {
  throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
};

describe('the resolver', () => {
  const clock = useTestClock();
  const dns = useDnsServer();
  let now: number;

  beforeEach(() => {
    now = 0;
  });

  const resolver = (options: ResolverOptions = {}) =>
    systemResolver({ servers: [dns.address], lookup: nobody, now: () => now, ...options });

  describe('asks name servers', () => {
    it('for both families, IPv4 first', async () => {
      dns.set('receiver.test', { A: ['8.8.8.8', '8.8.4.4'], AAAA: ['2606:4700::1111'] });
      expect(await resolver()('receiver.test')).toEqual(['8.8.8.8', '8.8.4.4', '2606:4700::1111']);
      expect(dns.queries.sort()).toEqual(['A receiver.test', 'AAAA receiver.test']);
    });

    it.each<[string, Zone, string[]]>([
      ['one family', { AAAA: ['::ffff:10.0.0.1'] }, ['::ffff:10.0.0.1']],
      ['an alias', { CNAME: 'localhost', A: ['127.0.0.1'] }, ['127.0.0.1']],
      ['nothing', {}, []],
    ])('for a name with %s', async (_what, zone, addresses) => {
      dns.set('receiver.test', zone);
      expect(await resolver()('receiver.test')).toEqual(addresses);
    });

    it('again when a datagram is lost', async () => {
      dns.set('receiver.test', (_family, query) => (query === 1 ? 'silent' : { A: ['8.8.8.8'] }));
      expect(await resolver()('receiver.test')).toEqual(['8.8.8.8']);
    });

    it('and takes up to 32 addresses of a family', async () => {
      dns.set('receiver.test', {
        A: Array.from({ length: 60 }, (_, i) => `8.8.8.${i}`),
        AAAA: ['2606:4700::1'],
      });
      const addresses = await resolver()('receiver.test');
      expect(addresses).toHaveLength(33);
      expect(addresses.at(-1)).toBe('2606:4700::1');
    });
  });

  describe('keeps answers', () => {
    it.each<[string, Zone, number]>([
      ['for as long as they say', { A: ['8.8.8.8'], ttl: 20 }, 20],
      ['that a name is not known for 1 s', 'nxdomain', 1],
      ['that a name has no address for 1 s', {}, 1],
      [
        'as long as the shortest holds',
        (family) => (family === 'A' ? { A: ['8.8.8.8'], ttl: 90 } : { AAAA: ['2606:4700::1'], ttl: 30 }),
        30,
      ],
    ])('%s', async (_what, zone, seconds) => {
      dns.set('receiver.test', zone);
      const resolve = resolver();
      const first = await resolve('receiver.test');
      now = seconds * 1000 - 1;
      expect(await resolve('receiver.test')).toEqual(first);
      expect(dns.count('receiver.test')).toBe(2);
      now++;
      expect(await resolve('receiver.test')).toEqual(first);
      expect(dns.count('receiver.test')).toBe(4);
    });

    it('but not failures of a name server', async () => {
      dns.set('receiver.test', 'servfail');
      const resolve = resolver();
      await expect(resolve('receiver.test')).rejects.toThrow();
      dns.set('receiver.test', { A: ['8.8.8.8'] });
      expect(await resolve('receiver.test')).toEqual(['8.8.8.8']);
    });

    it('and asks once for simultaneous callers', async () => {
      dns.set('receiver.test', { A: ['8.8.8.8'] });
      const resolve = resolver();
      const all = await Promise.all(Array.from({ length: 50 }, () => resolve('receiver.test')));
      expect(all).toEqual(Array(50).fill(['8.8.8.8']));
      expect(dns.count('receiver.test')).toBe(2);
    });
  });

  describe('when a name server does not answer', () => {
    it.each<Zone>(['servfail', (family) => (family === 'A' ? {} : 'servfail')])(
      'does not ask the system instead: %j',
      async (zone) => {
        dns.set('receiver.test', zone);
        const lookup = async () => ['127.0.0.1'];
        await expect(resolver({ lookup })('receiver.test')).rejects.toThrow();
      },
    );

    it('for one family, takes the other', async () => {
      dns.set('receiver.test', (family) => (family === 'A' ? { A: ['8.8.8.8'] } : 'servfail'));
      expect(await resolver()('receiver.test')).toEqual(['8.8.8.8']);
    });

    it('resolves other names meanwhile', async () => {
      const silent = Array.from({ length: 100 }, (_, i) => `silent-${i}.test`);
      for (const name of silent) dns.set(name, 'silent');
      dns.set('receiver.test', { A: ['8.8.8.8'] });
      const resolve = resolver();
      const all = silent.map((name) => expect(resolve(name)).rejects.toThrow());
      await until(() => dns.queries.length === 200);
      expect(await resolve('receiver.test')).toEqual(['8.8.8.8']);
      clock.advance(BUDGET_MS);
      await Promise.all(all);
    });

    describe('and it asks again for long', () => {
      const never = new Promise<never>(() => {});
      let ofIpv4: jest.Spied<Resolver['resolve4']>;
      beforeAll(() => {
        ofIpv4 = jest.spyOn(Resolver.prototype, 'resolve4');
        jest.spyOn(Resolver.prototype, 'resolve6').mockReturnValue(never);
      });
      afterAll(() => {
        jest.restoreAllMocks();
      });

      it('gives up after 2 s', async () => {
        ofIpv4.mockReturnValue(never);
        const found = expect(resolver()('receiver.test')).rejects.toBeInstanceOf(AttemptFailure);
        clock.advance(BUDGET_MS);
        await found;
      });

      it('takes the addresses of the family that is answered after 2 s', async () => {
        ofIpv4.mockResolvedValue([{ address: '8.8.8.8', ttl: 60 }] as never);
        const found = resolver()('receiver.test');
        await setImmediate();
        clock.advance(BUDGET_MS);
        expect(await found).toEqual(['8.8.8.8']);
      });
    });
  });

  describe('asks the system', () => {
    it.each(['gateway.test', 'localhost', 'localhost.', 'app.localhost', 'receiver'])(
      'for %s',
      async (name) => {
        const asked: string[] = [];
        const lookup = async (hostname: string) => {
          asked.push(hostname);
          return ['192.168.65.2'];
        };
        const resolve = resolver({ lookup });
        expect(await resolve(name)).toEqual(['192.168.65.2']);
        now = 9_999;
        await resolve(name);
        expect(asked).toEqual([name]);
        now++;
        await resolve(name);
        expect(asked).toEqual([name, name]);
        if (name !== 'gateway.test') expect(dns.queries).toEqual([]);
      },
    );

    it('when there is no name server', async () => {
      const gone = new DnsServer();
      await gone.listen();
      const { address } = gone;
      await gone.close();
      const resolve = resolver({ servers: [address], lookup: async () => ['192.168.65.2'] });
      expect(await resolve('gateway.test')).toEqual(['192.168.65.2']);
    });

    it('for two names at a time, each within 2 s', async () => {
      const running = new Set<string>();
      const hangs: (() => void)[] = [];
      const lookup = (hostname: string) => {
        running.add(hostname);
        if (hostname.startsWith('quick')) return Promise.resolve(['192.168.65.2']);
        return new Promise<string[]>((resolve) => hangs.push(() => resolve(['192.168.65.3'])));
      };
      const resolve = resolver({ lookup });
      const slow = ['slow-1', 'slow-2', 'slow-3'].map((name) => resolve(name).catch((error: Error) => error));
      await until(() => running.size === 2);
      clock.advance(BUDGET_MS);
      for (const outcome of await Promise.all(slow)) expect(outcome).toBeInstanceOf(AttemptFailure);
      // The first two still hold the threads; the third has left the queue.
      const quick = resolve('quick');
      hangs[0]?.();
      expect(await quick).toEqual(['192.168.65.2']);
      expect([...running]).toEqual(['slow-1', 'slow-2', 'quick']);
    });

    it('by getaddrinfo, for localhost', async () => {
      expect(await systemResolver({ servers: [dns.address] })('localhost')).toContain('127.0.0.1');
    });
  });
});
