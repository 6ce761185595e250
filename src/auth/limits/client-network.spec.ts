import { describe, expect, it } from '@jest/globals';
import { clientNetwork } from './client-network.js';

describe('clientNetwork', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]:4711', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['unknown', 'unknown'],
    ['_hidden:4711', '_hidden:4711'],
    ['', ''],
  ])('of %s is %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });

  it('is at most 64 characters long', () => {
    expect(clientNetwork('x'.repeat(10_000))).toHaveLength(64);
    expect(clientNetwork(`:${'x'.repeat(10_000)}`)).toHaveLength(64);
  });
});
