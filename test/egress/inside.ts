// Some of each kind: `src/network/address/address-policy.spec.ts` has all spellings, and judges every address.

/** Internal addresses as URLs may spell them, without a port. */
export const INSIDE_LITERALS = [
  'http://127.0.0.1',
  'http://2130706433',
  'http://①②⑦.⓪.⓪.①',
  'http:\\\\127.0.0.1',
  'http://%31%32%37.0.0.1',
  'http://127.0.0.1.',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
  'http://169.254.169.254',
];

/** Names that count as internal whatever they resolve to. */
export const INSIDE_NAMES = ['http://LOCALHOST.', 'http://metadata.google.internal', 'http://printer.local'];

/** A public address; nothing is ever sent there. */
export const PUBLIC = '8.8.8.8';

/** DNS records that point an external name to an internal address. */
export const INSIDE_ANSWERS = {
  'loopback.test': { A: ['127.0.0.1'] },
  'loopback6.test': { AAAA: ['::1'] },
  'mixed.test': { A: [PUBLIC, '127.0.0.1'] },
  'mixed6.test': { A: [PUBLIC], AAAA: ['::1'] },
  'mapped.test': { A: [PUBLIC], AAAA: ['::ffff:127.0.0.1'] },
  'private.test': { A: ['10.0.0.1'] },
  'alias-of-internal.test': { CNAME: 'metadata.google.internal', A: ['169.254.169.254'] },
};
