import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EgressConfig } from '../../platform/config/settings.js';
import { faultOfAddress, faultOfUrl } from './address-policy.js';

const strict: EgressConfig = {
  allowHttp: true,
  allowPrivateNetwork: false,
  allowedNetworks: [],
  proxy: null,
};
const open: EgressConfig = { ...strict, allowPrivateNetwork: true };

describe('faultOfUrl', () => {
  it.each([
    'https://example.com',
    'http://example.com/hooks?x=1',
    'https://example.com:443/',
    'http://example.com:80',
    'https://example.com:80',
    'https://example.com:1024',
    'https://example.com:65535',
    'https://example.com./',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://[64:ff9b::8.8.8.8]/',
    'https://münchen.example/',
    'https://localhost.example.com/',
    'https://internal.example.com/',
    'https://my.notlocal/',
  ])('accepts %s', (url) => {
    expect(faultOfUrl(url, strict)).toBeNull();
  });

  it.each([
    ['not a url', ''],
    ['relative', '/hooks'],
    ['another scheme', 'ftp://example.com'],
    ['javascript', 'javascript:alert(1)'],
    ['file', 'file:///etc/passwd'],
    ['port 0', 'https://example.com:0'],
    ['port 22', 'https://example.com:22'],
    ['port 1023', 'https://example.com:1023'],
    ['a user', 'https://user@example.com'],
    ['a password', 'https://:secret@example.com'],
    ['a fragment', 'https://example.com/#top'],
    ['an empty fragment', 'https://example.com/#'],
    ['2049 characters', `https://example.com/${'a'.repeat(2049 - 20)}`],
    ['2049 characters once escaped', `https://example.com/${'ü'.repeat(1000)}`],
  ])('refuses %s even on a private network', (_name, url) => {
    expect(faultOfUrl(url, open)).toMatch(/^The .+\.$/);
  });

  it('accepts 2048 characters', () => {
    expect(faultOfUrl(`https://example.com/${'a'.repeat(2048 - 20)}`, strict)).toBeNull();
  });

  const internal = [
    'http://127.0.0.1',
    'http://127.1',
    'http://2130706433',
    'http://0x7f.0.0.1',
    'http://0x7f000001',
    'http://017700000001',
    'http://0',
    'http://127.0.0.1.',
    'http://①②⑦.⓪.⓪.①',
    'http://127。0。0。1',
    'http:127.0.0.1',
    'http:\\\\127.0.0.1',
    'http://%31%32%37.0.0.1',
    'http://127.0.0.1:8080/path',
    'http://[::1]',
    'http://[::]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://[0:0:0:0:0:ffff:127.0.0.1]',
    'http://[::127.0.0.1]',
    'http://[::ffff:0:7f00:1]',
    'http://[::5efe:7f00:1]',
    'http://[64:ff9b::a9fe:a9fe]',
    'http://[64:ff9b::127.0.0.1]',
    'http://[64:ff9b:1::808:808]',
    'http://[2002:a9fe:a9fe::1]',
    'http://[fec0::1]',
    'http://[4000::1]',
    'http://[fd00:ec2::254]',
    'http://[fe80::1]',
    'http://169.254.169.254',
    'http://100.100.100.200',
    'http://168.63.129.16',
    'http://metadata.google.internal',
    'http://metadata.google.internal.',
    'http://metadata',
    'http://localhost',
    'http://LOCALHOST:3000',
    'http://localhost.',
    'http://app.localhost',
    'http://printer.local',
    'http://printer.LOCAL.',
    'http://db.internal',
    'http://intranet',
    'http://intranet./',
    'http://local',
  ];

  it.each(internal)('refuses %s', (url) => {
    expect(faultOfUrl(url, strict)).not.toBeNull();
  });

  it.each(internal)('accepts %s on a private network', (url) => {
    expect(faultOfUrl(url, open)).toBeNull();
  });

  it('refuses http if only https is allowed, also on a private network', () => {
    expect(faultOfUrl('http://example.com', { ...open, allowHttp: false })).not.toBeNull();
    expect(faultOfUrl('https://example.com', { ...strict, allowHttp: false })).toBeNull();
  });

  it("refuses this host's own addresses", () => {
    expect(faultOfUrl('https://8.8.4.4', strict, ['8.8.4.4'])).not.toBeNull();
    expect(faultOfUrl('https://[2606:4700::0:1]', strict, ['2606:4700::1'])).not.toBeNull();
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl()), (url) => faultOfUrl(url, strict) !== undefined),
    );
  });
});

describe('faultOfAddress', () => {
  it.each([
    ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
    ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
    ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
    ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
    ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
    ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
    ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
    ['192.31.196.0/24', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
    ['192.52.193.0/24', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
    ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
    ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
    ['192.175.48.0/24', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
    ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
    ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
    ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
    ['168.63.129.16/32', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
    ['224.0.0.0/3', '224.0.0.0', '255.255.255.255', '223.255.255.255'],
    ['2001::/23', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
    ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
    ['2002::/16', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
    ['2620:4f:8000::/48', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', '2620:4f:8001::'],
    ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
    ['outside 2000::/3, below', '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
    ['outside 2000::/3, above', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::'],
  ])('refuses %s from %s to %s, but not %s', (_block, first, last, beyond) => {
    expect(faultOfAddress(first, strict)).not.toBeNull();
    expect(faultOfAddress(last, strict)).not.toBeNull();
    expect(faultOfAddress(beyond, strict)).toBeNull();
  });

  it.each(['', 'example.com', '1.2.3', '::1%lo', '2606:4700::1%eth0', '[::1]'])(
    'refuses %p, which is no address',
    (ip) => {
      expect(faultOfAddress(ip, strict)).not.toBeNull();
    },
  );

  it('judges IPv4 inside IPv6 as that IPv4 address, including own and allowed ones', () => {
    const allowed = { ...strict, allowedNetworks: ['10.1.0.0/16'] };
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        for (const egress of [strict, allowed]) {
          const fault = faultOfAddress(ip, egress, ['8.8.8.8']);
          expect(faultOfAddress(`::ffff:${ip}`, egress, ['8.8.8.8'])).toBe(fault);
          expect(faultOfAddress(`64:ff9b::${ip}`, egress, ['8.8.8.8'])).toBe(fault);
        }
      }),
    );
    expect(faultOfAddress('::ffff:10.1.2.3', allowed)).toBeNull();
    expect(faultOfAddress('::ffff:8.8.8.8', strict, ['8.8.8.8'])).not.toBeNull();
  });

  it('accepts nothing outside 2000::/3 except embedded IPv4', () => {
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        const hostname = new URL(`http://[${ip}]`).hostname;
        fc.pre(!/^\[(::ffff:|64:ff9b::)/.test(hostname) && !/^\[[23][0-9a-f]{3}:/.test(hostname));
        expect(faultOfAddress(ip, strict)).not.toBeNull();
      }),
    );
  });

  it('agrees with faultOfUrl on every literal', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV4Extended(), fc.ipV6()), (ip) => {
        const url = new URL(ip.includes(':') ? `http://[${ip}]` : `http://${ip}`);
        const literal = url.hostname.replace(/^\[|\]$/g, '');
        expect(faultOfUrl(url.href, strict)).toBe(faultOfAddress(literal, strict));
      }),
    );
  });

  it('lifts the policy for the allowed networks only', () => {
    const egress = { ...strict, allowedNetworks: ['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1/32'] };
    expect(faultOfAddress('10.1.2.3', egress, ['10.1.2.3'])).toBeNull();
    expect(faultOfAddress('10.2.0.1', egress)).not.toBeNull();
    expect(faultOfAddress('fd00:1::5', egress)).toBeNull();
    expect(faultOfAddress('fd00:2::5', egress)).not.toBeNull();
    expect(faultOfUrl('http://127.1:8080', egress)).toBeNull();
    expect(faultOfUrl('http://127.0.0.2:8080', egress)).not.toBeNull();
    expect(faultOfUrl('http://localhost:8080', egress)).not.toBeNull();
  });
});
