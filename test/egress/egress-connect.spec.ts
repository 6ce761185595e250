import { connect } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ConnectTcp } from '../../src/network/dialler.js';
import { systemResolver } from '../../src/network/dns/resolver.js';
import type { EgressConfig } from '../../src/platform/config/settings.js';
import type { Receiver } from '../support/receiver.js';
import { useDnsServer } from './dns-server.js';
import { INSIDE_ANSWERS, INSIDE_LITERALS, INSIDE_NAMES, PUBLIC } from './inside.js';
import { loopback, post, transports, useBench } from './transports.js';

const strict: EgressConfig = { ...loopback, allowedNetworks: [] };
const inside = [...INSIDE_LITERALS, ...INSIDE_NAMES];

describe.each(transports)('the way to internal addresses by the %s transport', (_name, create) => {
  const bench = useBench(create);
  const dns = useDnsServer();
  /** Every connection ends here, whatever its destination. */
  let trap: Receiver;
  let dialled: string[];
  let now: number;

  beforeEach(async () => {
    for (const [name, records] of Object.entries(INSIDE_ANSWERS)) dns.set(name, records);
    trap = await bench.receiver();
    dialled = [];
    now = 0;
  });

  const intoTheTrap: ConnectTcp = (options) => {
    dialled.push(`${options.host}:${options.port}`);
    return connect({ ...options, host: '127.0.0.1', port: trap.port });
  };
  const ofOurs = (egress = strict) => ({
    egress,
    resolve: systemResolver({ servers: [dns.address], lookup: async () => ['127.0.0.1'], now: () => now }),
    connectTcp: intoTheTrap,
  });

  it.each(inside)('is shut for %s', async (origin) => {
    for (const port of ['', `:${trap.port}`]) {
      const { error } = await post(bench.transport(ofOurs()), `${origin}${port}/hooks`);
      expect(error?.code).toBe('blocked_address');
    }
    expect({ dialled, connections: trap.connectionCount, queries: dns.queries }).toEqual({
      dialled: [],
      connections: 0,
      queries: [],
    });
  });

  it.each(Object.keys(INSIDE_ANSWERS))('is shut for %s', async (name) => {
    const transport = bench.transport(ofOurs());
    for (const scheme of ['http', 'https']) {
      const { error } = await post(transport, `${scheme}://${name}:${trap.port}/hooks`);
      expect(error).toEqual({
        code: 'blocked_address',
        message: 'The host name resolves to an address that is not a public one.',
      });
    }
    expect({ dialled, connections: trap.connectionCount }).toEqual({ dialled: [], connections: 0 });
    expect(dns.count(name)).toBe(2);
  });

  it('is shut for a name that only the system knows', async () => {
    const { error } = await post(bench.transport(ofOurs()), `http://gateway.test:${trap.port}`);
    expect(error?.code).toBe('blocked_address');
    expect(dialled).toEqual([]);
  });

  it('is shut for a name that changes between check and dial', async () => {
    dns.set('rebind.test', (_family, query) => ({ A: [query === 1 ? PUBLIC : '127.0.0.1'], ttl: 0 }));
    // The clock advances, so the DNS answer has expired by the time of the dial.
    const resolve = systemResolver({ servers: [dns.address], now: () => (now += 10_000) });
    const { error } = await post(
      bench.transport({ ...ofOurs(), resolve }),
      `http://rebind.test:${trap.port}`,
    );
    expect(dialled).toEqual([`${PUBLIC}:${trap.port}`]);
    // The connection reached another address than the one dialled, so nothing was sent.
    expect(error?.code).toBe('blocked_address');
    expect(trap.requests).toEqual([]);
  });

  it('is shut for a name whose answer changes, which is asked for once for each connection', async () => {
    trap.respondWith({ headers: { Connection: 'close' } });
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const transport = bench.transport({ resolve: async () => answers.shift() ?? ['127.0.0.1'] });
    const url = `http://receiver.test:${trap.port}`;
    expect((await post(transport, url)).response?.status).toBe(200);
    expect(answers).toHaveLength(1);
    await trap.waitFor(() => trap.openConnections === 0);
    expect((await post(transport, url)).error?.code).toBe('blocked_address');
    expect(trap.requests).toHaveLength(1);
  });

  it('is shut for an address of this host that is a public one', async () => {
    const own = { resolve: async () => [PUBLIC], ownAddresses: () => [PUBLIC] };
    const { error } = await post(bench.transport({ ...ofOurs(), ...own }), 'http://receiver.test');
    expect(error?.code).toBe('blocked_address');
    expect(dialled).toEqual([]);
  });

  it('is shut for http where only https is allowed', async () => {
    const transport = bench.transport({ egress: { ...loopback, allowHttp: false } });
    expect((await post(transport, trap.url)).error?.code).toBe('blocked_address');
    expect(trap.connectionCount).toBe(0);
  });

  describe('is open only for an allowed network', () => {
    const egress = { ...strict, allowedNetworks: ['127.0.0.2/32'] };
    const addresses: [string, number][] = [
      ['127.0.0.2', 200],
      ['allowed.test', 200],
      ['127.0.0.1', 0],
      ['beside.test', 0],
      ['both.test', 0],
    ];

    it.each(addresses)('%s', async (host, status) => {
      dns.set('allowed.test', { A: ['127.0.0.2'] });
      dns.set('beside.test', { A: ['127.0.0.3'] });
      dns.set('both.test', { A: ['127.0.0.2', '127.0.0.1'] });
      const receiver = await bench.receiver({ host: '127.0.0.2' });
      const transport = bench.transport({ ...ofOurs(egress), connectTcp: connect });
      const { response, error } = await post(transport, `http://${host}:${receiver.port}`);
      expect(response?.status ?? 0).toBe(status);
      expect(error?.code).toBe(status === 200 ? undefined : 'blocked_address');
      expect(receiver.connectionCount).toBe(status === 200 ? 1 : 0);
    });
  });
});
