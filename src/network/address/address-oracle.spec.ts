import { isIP } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { SEED } from '../../../test/support/seed.js';
import type { EgressConfig } from '../../platform/config/settings.js';
import { faultOfAddress } from './address-policy.js';

const ADDRESSES = 1_000_000;

/** The first and last address of a block, as numbers. */
type Block = [first: bigint, last: bigint];

/** Makes blocks from their first addresses and prefix lengths. */
const blocksOf = (bits: number, lines: [first: bigint, prefix: number][]): Block[] =>
  lines.map(([first, prefix]) => [first, first + (1n << BigInt(bits - prefix)) - 1n]);

/**
 * IANA IPv4 Special-Purpose Address Registry, line by line, then multicast (IANA IPv4 Address Space Registry) and Azure's
 * platform address. Deliberately a second list, in another form than the code's.
 */
const IPV4 = blocksOf(32, [
  [0x00000000n, 8], // "this network"
  [0x00000000n, 32], // "this host on this network"
  [0x0a000000n, 8], // private use
  [0x64400000n, 10], // shared address space
  [0x7f000000n, 8], // loopback
  [0xa9fe0000n, 16], // link local
  [0xac100000n, 12], // private use
  [0xc0000000n, 24], // IETF protocol assignments
  [0xc0000000n, 29], // IPv4 service continuity prefix
  [0xc0000008n, 32], // IPv4 dummy address
  [0xc0000009n, 32], // Port Control Protocol anycast
  [0xc000000an, 32], // TURN anycast
  [0xc00000aan, 32], // NAT64/DNS64 discovery
  [0xc00000abn, 32], // NAT64/DNS64 discovery
  [0xc0000200n, 24], // TEST-NET-1
  [0xc01fc400n, 24], // AS112-v4
  [0xc034c100n, 24], // AMT
  [0xc0586300n, 24], // deprecated 6to4 relay anycast
  [0xc0586302n, 32], // 6a44 relay anycast
  [0xc0a80000n, 16], // private use
  [0xc0af3000n, 24], // direct delegation AS112
  [0xc6120000n, 15], // benchmarking
  [0xc6336400n, 24], // TEST-NET-2
  [0xcb007100n, 24], // TEST-NET-3
  [0xe0000000n, 4], // multicast
  [0xf0000000n, 4], // reserved
  [0xffffffffn, 32], // limited broadcast
  [0xa83f8110n, 32], // Azure platform
]);

const high = (text: string): bigint => BigInt(`0x${text.replaceAll('_', '').padEnd(32, '0')}`);

/** IANA IPv6 Special-Purpose Address Registry, line by line. */
const IPV6 = blocksOf(128, [
  [1n, 128], // loopback
  [0n, 128], // unspecified
  [0xffff_0000_0000n, 96], // IPv4-mapped
  [high('0064_ff9b'), 96], // NAT64
  [high('0064_ff9b_0001'), 48], // local NAT64
  [high('0100'), 64], // discard only
  [high('0100_0000_0000_0001'), 64], // dummy prefix
  [high('2001'), 23], // IETF protocol assignments
  [high('2001'), 32], // Teredo
  [high('2001_0001') + 1n, 128], // Port Control Protocol anycast
  [high('2001_0001') + 2n, 128], // TURN anycast
  [high('2001_0001') + 3n, 128], // DNS-SD SRP anycast
  [high('2001_0002'), 48], // benchmarking
  [high('2001_0003'), 32], // AMT
  [high('2001_0004_0112'), 48], // AS112-v6
  [high('2001_0010'), 28], // deprecated ORCHID
  [high('2001_0020'), 28], // ORCHIDv2
  [high('2001_0030'), 28], // drone remote ID
  [high('2001_0db8'), 32], // documentation
  [high('2002'), 16], // 6to4
  [high('2620_004f_8000'), 48], // direct delegation AS112
  [high('3fff'), 20], // documentation
  [high('5f00'), 16], // SRv6 SIDs
  [high('fc00'), 7], // unique local
  [high('fe80'), 10], // link local
]);

/** The global unicast block and the neighbours of the blocks with embedded IPv4, to test at their edges. */
const OTHERS = blocksOf(128, [
  [high('2000'), 3],
  [high('fec0'), 10],
  [high('ff00'), 8],
  [0n, 96],
  [0xffff_0000_0000_0000n, 96],
]);

const MAPPED = 0xffffn;
const NAT64 = high('0064_ff9b') >> 32n;

/** The same settings twice: as the policy takes them, and as numbers. */
interface World {
  egress: EgressConfig;
  ownAddresses: string[];
  allowed4: Block[];
  allowed6: Block[];
  own4: Block[];
  own6: Block[];
}

const nothing = { allowed4: [], allowed6: [], own4: [], own6: [] };
const base = { allowHttp: true, allowPrivateNetwork: false, proxy: null };
const worlds: World[] = [
  { ...nothing, egress: { ...base, allowedNetworks: [] }, ownAddresses: [] },
  {
    egress: { ...base, allowedNetworks: ['10.1.0.0/16', '127.0.0.1/32', '2001:db8:5::/48', 'fd00:1::/32'] },
    ownAddresses: ['8.8.8.8', '11.0.0.0', '2000::', '2606:4700::1111', 'fe80::1%eth0'],
    allowed4: blocksOf(32, [
      [0x0a010000n, 16],
      [0x7f000001n, 32],
    ]),
    allowed6: blocksOf(128, [
      [high('2001_0db8_0005'), 48],
      [high('fd00_0001'), 32],
    ]),
    own4: blocksOf(32, [
      [0x08080808n, 32],
      [0x0b000000n, 32],
    ]),
    own6: blocksOf(128, [
      [high('2000'), 128],
      [high('2606_4700') + 0x1111n, 128],
      [high('fe80') + 1n, 128],
    ]),
  },
];

const within = (value: bigint, blocks: Block[]) =>
  blocks.some(([first, last]) => value >= first && value <= last);

function ipv4IsOpen(value: bigint, { allowed4, own4 }: World): boolean {
  return within(value, allowed4) || !(within(value, IPV4) || within(value, own4));
}

function ipv6IsOpen(value: bigint, world: World): boolean {
  if (within(value, world.allowed6)) return true;
  const top = value >> 32n;
  if (top === MAPPED || top === NAT64) return ipv4IsOpen(value & 0xffffffffn, world);
  if (value >> 125n !== 1n) return false;
  return !within(value, IPV6) && !within(value, world.own6);
}

/** Reproducible random numbers (mulberry32). */
function randomFrom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    below: (limit: number) => next() % limit,
    bits: (bits: number) => {
      let value = 0n;
      for (let left = bits; left > 0; left -= 32) value = (value << 32n) | BigInt(next());
      return BigInt.asUintN(bits, value);
    },
  };
}
type Random = ReturnType<typeof randomFrom>;

const ALL_IPV4 = [...IPV4, ...worlds.flatMap(({ allowed4, own4 }) => [...allowed4, ...own4])];
const ALL_IPV6 = [...IPV6, ...OTHERS, ...worlds.flatMap(({ allowed6, own6 }) => [...allowed6, ...own6])];

/** The first and last address of a block, and those before and after it. */
const edges = ([first, last]: Block, bits: number) =>
  [first - 1n, first, last, last + 1n].map((place) => BigInt.asUintN(bits, place));

/** Mostly an address at the edge of a block, otherwise one inside it, or any. */
function near(blocks: Block[], bits: number, random: Random): bigint {
  const block = blocks[random.below(blocks.length)] as Block;
  const place = random.below(6);
  if (place < 4) return edges(block, bits)[place] as bigint;
  const anywhere = random.bits(bits);
  return place === 4 ? block[0] + (anywhere % (block[1] - block[0] + 1n)) : anywhere;
}

function randomIpv6(random: Random): bigint {
  const kind = random.below(8);
  if (kind === 0) return random.bits(128);
  if (kind === 1) return (1n << 125n) | random.bits(125);
  if (kind > 3) return near(ALL_IPV6, 128, random);
  const top = [MAPPED, NAT64, 0n, MAPPED << 16n, NAT64 + 1n, MAPPED - 1n][random.below(6)] as bigint;
  return (top << 32n) | near(ALL_IPV4, 32, random);
}

const dotted = (value: bigint) => {
  const number = Number(value);
  return `${number >>> 24}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;
};

/** One of the spellings of an address. */
function spelled(value: bigint, random: Random): string {
  const hex = value.toString(16).padStart(32, '0');
  const full = (hex.match(/.{4}/g) as string[]).join(':');
  const short = full.replace(/\b0{1,3}/g, '');
  const compressed = short.replace(/(?:^|:)0(?::0)+(?::|$)/, '::');
  switch (random.below(4)) {
    case 0:
      return full;
    case 1:
      return short.toUpperCase();
    case 2:
      return `${full.slice(0, 30)}${dotted(value & 0xffffffffn)}`;
    default:
      return compressed;
  }
}

describe('faultOfAddress', () => {
  it('agrees with the registries on a million addresses, most of them at the edges of blocks', () => {
    const random = randomFrom(SEED);
    const wrong: string[] = [];
    const open = { ipv4: 0, ipv6: 0 };
    for (let i = 0; i < ADDRESSES; i++) {
      const world = worlds[i % 2] as World;
      const isIpv4 = random.below(5) < 2;
      const value = isIpv4 ? near(ALL_IPV4, 32, random) : randomIpv6(random);
      const text = isIpv4 ? dotted(value) : spelled(value, random);
      const expected = isIpv4 ? ipv4IsOpen(value, world) : ipv6IsOpen(value, world);
      const ok = faultOfAddress(text, world.egress, world.ownAddresses) === null;
      if (ok !== expected || isIP(text) === 0) wrong.push(text);
      if (expected) open[isIpv4 ? 'ipv4' : 'ipv6']++;
    }
    expect({ seed: SEED, wrong: wrong.slice(0, 20) }).toEqual({ seed: SEED, wrong: [] });
    // Both verdicts must occur, or agreement would prove nothing.
    expect(Math.min(open.ipv4, open.ipv6)).toBeGreaterThan(ADDRESSES / 20);
    expect(open.ipv4 + open.ipv6).toBeLessThan(ADDRESSES * 0.7);
  });

  it.each<[string, Block[], number, (value: bigint, world: World) => boolean]>([
    ['IPv4', ALL_IPV4, 32, ipv4IsOpen],
    ['IPv6', ALL_IPV6, 128, ipv6IsOpen],
  ])('agrees at every edge of every %s block', (_family, blocks, bits, isOpen) => {
    for (const world of worlds) {
      for (const value of blocks.flatMap((block) => edges(block, bits))) {
        const text = bits === 32 ? dotted(value) : spelled(value, randomFrom(Number(value % 1000n)));
        const ok = faultOfAddress(text, world.egress, world.ownAddresses) === null;
        expect({ text, ok }).toEqual({ text, ok: isOpen(value, world) });
      }
    }
  });
});
