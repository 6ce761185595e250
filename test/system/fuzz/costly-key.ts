import type { Random } from './random.js';

const OIDS = {
  dsa: '2a8648ce380401',
  dhx: '2a8648ce3e0201',
  dh: '2a864886f70d010301',
  rsa: '2a864886f70d010101',
  pss: '2a864886f70d01010a',
  ec: '2a8648ce3d0201',
  primeField: '2a8648ce3d0101',
};
const LABELS = [
  'PRIVATE KEY',
  'PRIVATE KEY',
  'PRIVATE KEY',
  'RSA PRIVATE KEY',
  'EC PRIVATE KEY',
  'DSA PRIVATE KEY',
];

function tlv(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
const sequence = (...parts: Buffer[]) => tlv(0x30, ...parts);
const octets = (...parts: Buffer[]) => tlv(0x04, ...parts);
const oid = (name: keyof typeof OIDS) => tlv(0x06, Buffer.from(OIDS[name], 'hex'));
const small = (value: number) => tlv(0x02, Buffer.from([value]));

/** A private key in PEM of about this many bytes, of any algorithm, whose numbers are as long as they can be. */
export function costlyKey(bytes: number, random: Random): string {
  const number = (length: number) =>
    tlv(
      0x02,
      Buffer.from(
        Array.from({ length: Math.max(2, Math.floor(length)) }, (_, n) =>
          n === 0 ? 0x7f : Math.floor(random.next() * 256) | 1,
        ),
      ),
    );
  const algorithm = random.of(['dsa', 'dhx', 'dh', 'rsa', 'pss', 'ec'] as const);
  const third = number(bytes / 4);
  const keys: Record<typeof algorithm, () => [Buffer, Buffer]> = {
    dsa: () => [sequence(third, number(bytes / 4), small(3)), number(bytes / 4)],
    dhx: () => [sequence(third, small(3), number(bytes / 4)), number(bytes / 4)],
    dh: () => [sequence(third, small(3)), number(bytes / 4)],
    rsa: () => [tlv(0x05), rsa()],
    pss: () => [sequence(), rsa()],
    ec: () => [curve(), sequence(small(1), octets(Buffer.alloc(Math.max(1, bytes / 4), 0x5a)))],
  };
  const rsa = () => sequence(small(0), ...[3, 12, 3, 6, 6, 6, 6, 6].map((part) => number(bytes / 2 / part)));
  const curve = () => {
    const element = Buffer.alloc(Math.max(1, bytes / 8), 0x3b);
    return sequence(
      ...[
        small(1),
        sequence(oid('primeField'), number(bytes / 8)),
        sequence(octets(element), octets(element)),
      ],
      ...[octets(Buffer.from([4]), element, element), number(bytes / 8), small(1)],
    );
  };
  const [parameters, secret] = keys[algorithm]();
  const der = sequence(small(0), sequence(oid(algorithm), parameters), octets(secret));
  const label = random.of(LABELS);
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
