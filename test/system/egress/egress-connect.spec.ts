import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PolicyUrlJudge } from '../../../src/network/address/url-judge.js';
import { Connector } from '../../../src/network/connector.js';
import type { ConnectTcp } from '../../../src/network/dialler.js';
import { systemResolver } from '../../../src/network/dns/resolver.js';
import type { EgressConfig } from '../../../src/platform/config/settings.js';
import { DnsServer } from '../../egress/dns-server.js';
import { INSIDE_ANSWERS, PUBLIC } from '../../egress/inside.js';
import { loopback, post, TransportBench, transports } from '../../egress/transports.js';
import type { Receiver } from '../../support/receiver.js';

const strict: EgressConfig = { ...loopback, allowedNetworks: [] };

describe.each(transports)('the way to internal addresses by the %s transport', (_name, create) => {
  const bench = new TransportBench(create);
  let dns: DnsServer;
  /** Every connection ends here, whatever its destination. */
  let trap: Receiver;
  let dialled: string[];
  let now: number;

  beforeEach(async () => {
    dns = await DnsServer.start();
    for (const [name, records] of Object.entries(INSIDE_ANSWERS)) dns.set(name, records);
    trap = await bench.receiver();
    dialled = [];
    now = 0;
  });
  afterEach(async () => {
    await bench.close();
    await dns.close();
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

  it.each<[string, { A?: string[]; AAAA?: string[] }]>([
    ['IPv4', { A: ['127.0.0.1'] }],
    ['IPv6', { AAAA: ['::1'] }],
  ])('is shut for a name that changed after it was saved, 1,000 times, to %s', async (_family, changed) => {
    const options = ofOurs();
    const save = new PolicyUrlJudge(strict, new Connector(options));
    const transport = bench.transport(options);
    let isSaved = false;
    dns.set('rebind.test', () => (isSaved ? { ...changed, ttl: 0 } : { A: [PUBLIC], ttl: 0 }));
    const url = `http://rebind.test:${trap.port}/`;
    const seen = new Set<string>();
    for (let round = 0; round < 1_000; round++) {
      isSaved = false;
      now += 1_000;
      seen.add(`saved: ${await save.faultOfAddresses(url)}`);
      isSaved = true;
      now += 1_000;
      const { error } = await post(transport, url);
      seen.add(`sent: ${error?.code}`);
    }
    expect([...seen]).toEqual(['saved: null', 'sent: blocked_address']);
    // Each family once for saving and once for connecting, and again where a datagram was lost.
    expect(dns.count('rebind.test')).toBeGreaterThanOrEqual(4_000);
    expect({ dialled, connections: trap.connectionCount }).toEqual({ dialled: [], connections: 0 });
  });

  it('fails with dns when the name server hangs', async () => {
    dns.set('silent.test', 'silent');
    const start = performance.now();
    const { error } = await post(bench.transport(ofOurs()), 'http://silent.test', {
      deadline: AbortSignal.timeout(10_000),
    });
    expect(error).toEqual({ code: 'dns', message: 'The host name could not be resolved.' });
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});
