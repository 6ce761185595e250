/** Internal addresses in every spelling that a URL allows, without a port. */
export const INSIDE_LITERALS = [
  'http://127.0.0.1',
  'http://127.1',
  'http://2130706433',
  'http://0x7f.0.0.1',
  'http://017700000001',
  'http://0',
  'http://①②⑦.⓪.⓪.①',
  'http://127。0。0。1',
  'http:127.0.0.1',
  'http:\\\\127.0.0.1',
  'http://%31%32%37.0.0.1',
  'http://127.0.0.1.',
  'http://[::1]',
  'http://[::]',
  'http://[::ffff:127.0.0.1]',
  'http://[::127.0.0.1]',
  'http://[::ffff:0:7f00:1]',
  'http://[::5efe:7f00:1]',
  'http://[64:ff9b::a9fe:a9fe]',
  'http://[2002:a9fe:a9fe::1]',
  'http://[fec0::1]',
  'http://[4000::1]',
  'http://169.254.169.254',
  'http://100.100.100.200',
  'http://168.63.129.16',
];

/** Names that count as internal whatever they resolve to. */
export const INSIDE_NAMES = [
  'http://localhost',
  'http://LOCALHOST.',
  'http://app.localhost',
  'http://metadata',
  'http://metadata.google.internal',
  'http://metadata.google.internal.',
  'http://printer.local',
];

/** A public address; nothing is ever sent there. */
export const PUBLIC = '8.8.8.8';

/** DNS records that point an external name to an internal address. */
export const INSIDE_ANSWERS = {
  'loopback.test': { A: ['127.0.0.1'] },
  'loopback6.test': { AAAA: ['::1'] },
  'any.test': { A: ['0.0.0.0'] },
  'mixed.test': { A: [PUBLIC, '127.0.0.1'] },
  'mixed6.test': { A: [PUBLIC], AAAA: ['::1'] },
  'mapped.test': { A: [PUBLIC], AAAA: ['::ffff:127.0.0.1'] },
  'nat64.test': { AAAA: ['64:ff9b::a9fe:a9fe'] },
  '6to4.test': { AAAA: ['2002:7f00:1::1'] },
  'private.test': { A: ['10.0.0.1'] },
  'metadata.test': { A: ['169.254.169.254'] },
  'alias.test': { CNAME: 'localhost', A: ['127.0.0.1'] },
  'alias-of-internal.test': { CNAME: 'metadata.google.internal', A: ['169.254.169.254'] },
};
