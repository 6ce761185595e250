import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { pem } from '../../../../test/support/certs/pem.js';
import { bitsOf, elementsOf, sequenceOf } from './der.js';
import { faultOfPrivateKey, isQuickPublicKey } from './keys.js';
import { keyIn, type PemBlock, pemOf } from './pem.js';

type Pair = { publicKey: KeyObject; privateKey: KeyObject };
const curves = [
  'P-256',
  'P-384',
  'P-521',
  'secp256k1',
  'brainpoolP256r1',
  'brainpoolP384r1',
  'brainpoolP512r1',
];
const pairs: [string, () => Pair][] = [
  ['RSA of 2048 bits', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['RSA-PSS', () => generateKeyPairSync('rsa-pss', { modulusLength: 2048, hashAlgorithm: 'sha256' })],
  ['Ed25519', () => generateKeyPairSync('ed25519')],
  ['Ed448', () => generateKeyPairSync('ed448')],
  ...curves.map((namedCurve): [string, () => Pair] => [
    namedCurve,
    () => generateKeyPairSync('ec', { namedCurve }),
  ]),
];
const others: [string, () => Pair][] = [
  ['DSA', () => generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 })],
  ['X25519', () => generateKeyPairSync('x25519')],
  ['a curve that is not listed', () => generateKeyPairSync('ec', { namedCurve: 'sect571r1' })],
];

const pairOf = (text: string): Pair => ({
  publicKey: createPublicKey(text),
  privateKey: createPrivateKey(text),
});
const formsOf = ({ privateKey }: Pair) =>
  (privateKey.asymmetricKeyType === 'rsa'
    ? (['pkcs8', 'pkcs1'] as const)
    : privateKey.asymmetricKeyType === 'ec'
      ? (['pkcs8', 'sec1'] as const)
      : (['pkcs8'] as const)
  ).map((type) => privateKey.export({ type, format: 'pem' }) as string);
const infoOf = ({ publicKey }: Pair) => elementsOf(publicKey.export({ type: 'spki', format: 'der' }))[0];

describe('a key', () => {
  it.each(pairs)('of %s is taken in all its forms', (_kind, pair) => {
    const made = pair();
    expect(isQuickPublicKey(infoOf(made))).toBe(true);
    for (const text of formsOf(made)) {
      const block = keyIn(`before\n${text}behind`) as PemBlock;
      expect(faultOfPrivateKey(block)).toBeNull();
      expect(pemOf(block)).toBe(text);
    }
  });

  it.each(others)('of %s is refused', (_kind, pair) => {
    const made = pair();
    expect(isQuickPublicKey(infoOf(made))).toBe(false);
    for (const text of formsOf(made))
      expect(faultOfPrivateKey(keyIn(text) as PemBlock)).toMatch(/kinds: RSA/);
  });

  it('of RSA with more than 4096 bits is refused, and more than 8192 in a certificate', () => {
    const long = pairOf(pem('long.key'));
    expect(isQuickPublicKey(infoOf(long))).toBe(true);
    for (const text of formsOf(long)) expect(faultOfPrivateKey(keyIn(text) as PemBlock)).toMatch(/4096 bits/);
  });
});

describe('DER', () => {
  const read = (hex: string) =>
    elementsOf(Buffer.from(hex, 'hex')).map(({ content }) => content.toString('hex'));

  it.each([
    ['0201010500', ['01', '']],
    [`3081${'80'}${'00'.repeat(128)}`, ['00'.repeat(128)]],
    ['a0030101ff', ['0101ff']],
  ])('%s is read', (hex, contents) => {
    expect(read(hex)).toEqual(contents);
  });

  it.each([
    ['a length of its own', '3080020101 0000'],
    ['a length that is not the shortest', '30810302 0101'],
    ['a length with a zero before it', `3082008${'0'}${'00'.repeat(128)}`],
    ['a length beyond the end', '3004020101'],
    ['no length', '0201010 2'],
    ['a length without its end', '3082'],
    ['a length of 4 GB', '3084ffffffff00'],
    ['a tag of several bytes', '1f0100'],
  ])('is not %s', (_what, hex) => {
    expect(read(hex.replaceAll(' ', ''))).toEqual([]);
  });

  it('is nothing where it is no whole sequence', () => {
    expect(sequenceOf(Buffer.from('30020500 0500'.replace(' ', ''), 'hex'))).toEqual([]);
    expect(sequenceOf(Buffer.from('0500', 'hex'))).toEqual([]);
  });

  it.each([
    ['020101', 1],
    ['0200', Number.POSITIVE_INFINITY],
    ['020180', Number.POSITIVE_INFINITY],
    ['02020080', 8],
    ['0203010001', 17],
    ['040101', Number.POSITIVE_INFINITY],
  ])('%s is a number of %d bits', (hex, bits) => {
    expect(bitsOf(elementsOf(Buffer.from(hex, 'hex'))[0])).toBe(bits);
  });
});
