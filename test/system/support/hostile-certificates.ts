import { checkPrimeSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  bits,
  bytesOf,
  element,
  integer,
  octets,
  oid,
  pemText,
  sequence,
  tagged,
} from '../../support/certs/der.js';

// Keys and certificates over which OpenSSL computes for long while it reads them, or checks with them. No program makes them.

const EC = oid('1.2.840.10045.2.1');
const RSA = sequence(oid('1.2.840.113549.1.1.1'), Buffer.from([5, 0]));
const ZERO = integer(0);

/** An odd number with all its bits. */
function oddNumber(length: number): bigint {
  const bytes = randomBytes(length);
  bytes[0] = (bytes[0] as number) | 0x80;
  bytes[length - 1] = (bytes[length - 1] as number) | 1;
  return BigInt(`0x${bytes.toString('hex')}`);
}

const number = (length: number) => integer(oddNumber(length));

/** Of an algorithm whose public key is computed while the private one is read. */
const pkcs8 = (algorithm: Buffer, key: Buffer) =>
  pemText('PRIVATE KEY', sequence(ZERO, algorithm, octets(key)));

const dsa = (length: number) =>
  sequence(oid('1.2.840.10040.4.1'), sequence(number(length), number(32), integer(2)));
export const dsaKey = (length: number) => pkcs8(dsa(length), number(length - 1));
/** Of Diffie-Hellman, by PKCS #3 or by X9.42. */
const dh = (name: string, length: number, ...order: Buffer[]) =>
  pkcs8(sequence(oid(name), sequence(number(length), integer(2), ...order)), number(length - 1));
export const dhKey = (length: number) => dh('1.2.840.113549.1.3.1', length);
export const x942Key = (length: number) => dh('1.2.840.10046.2.1', length, number(32));

/** An RSA key whose numbers are longer than they have to be. */
export function rsaKey(
  lengths: { modulus: number; exponent?: number; others?: number },
  label = 'PRIVATE KEY',
) {
  const { modulus, exponent = 3, others = modulus / 2 } = lengths;
  const key = sequence(
    ZERO,
    number(modulus),
    number(exponent),
    number(modulus),
    ...Array.from({ length: 5 }, () => number(others)),
  );
  return label === 'PRIVATE KEY' ? pkcs8(RSA, key) : pemText(label, key);
}

/** By n: the primes are searched for. */
const slowCurves = new Map<number, { curve: Buffer; point: Buffer }>();

/** A curve of one's own over the field of p = k·2ⁿ + 1, in which roots are slow, and so are points without their y. */
function slowCurve(n: number) {
  const known = slowCurves.get(n);
  if (known !== undefined) return known;
  let p = (1n << BigInt(n)) + 1n;
  while (!checkPrimeSync(p, { checks: 5 })) p += 2n << BigInt(n);
  const length = bytesOf(p).length;
  const isSquare = (value: bigint) => power(value, (p - 1n) / 2n, p) === 1n;
  const [a, x] = [5n, 3n];
  let b = 7n;
  while (!isSquare((x ** 3n + a * x + b) % p)) b++;
  const point = Buffer.concat([Buffer.from([2]), bytesOf(x, length)]);
  const curve = sequence(
    integer(1),
    sequence(oid('1.2.840.10045.1.1'), integer(p)),
    sequence(octets(bytesOf(a, length)), octets(bytesOf(b, length))),
    octets(point),
    integer(p - 2n),
    integer(1),
  );
  slowCurves.set(n, { curve, point });
  return { curve, point };
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let rest = exponent, square = base; rest > 0n; rest >>= 1n, square = (square * square) % modulus)
    if (rest & 1n) result = (result * square) % modulus;
  return result;
}

/** A key on a {@link slowCurve}. `inside` names a usual curve, but not in the key itself. */
export function ecKey(n: number, form: 'PKCS8' | 'SEC1' | 'inside'): string {
  const { curve, point } = slowCurve(n);
  const usual = oid('1.2.840.10045.3.1.7');
  const key = sequence(integer(1), octets(randomBytes(32)), tagged(0, curve), tagged(1, bits(point)));
  if (form === 'SEC1') return pemText('EC PRIVATE KEY', key);
  return pkcs8(sequence(EC, form === 'PKCS8' ? curve : usual), key);
}

const nameOf = (name: string) =>
  sequence(element(0x31, sequence(oid('2.5.4.3'), element(0x0c, Buffer.from(name)))));
const time = (text: string) => element(0x17, Buffer.from(text));

export interface CertificateParts {
  subject?: string;
  issuer?: string;
  /** SubjectPublicKeyInfo. */
  key: Buffer;
  /** On P-256. @default nobody has signed it */
  signer?: KeyObject;
  extensions?: Buffer[];
  /** @default ECDSA with SHA-256 */
  algorithm?: Buffer;
  /** Without a signer. */
  signature?: Buffer;
}

/** A certificate in DER. */
export function certificateOf(parts: CertificateParts): Buffer {
  const { subject = 'a', issuer = 'b', key, extensions = [], signer } = parts;
  const { algorithm = sequence(oid('1.2.840.10045.4.3.2')), signature = Buffer.alloc(8) } = parts;
  const body = sequence(
    tagged(0, integer(2)),
    integer(1),
    algorithm,
    nameOf(issuer),
    sequence(time('200101000000Z'), time('490101000000Z')),
    nameOf(subject),
    key,
    ...(extensions.length === 0 ? [] : [tagged(3, sequence(...extensions))]),
  );
  return sequence(body, algorithm, bits(signer ? sign('sha256', body, signer) : signature));
}

const extension = (name: string, value: Buffer) => sequence(oid(name), octets(value));

/** The names of a certificate. */
export const namesExtension = (names: string[]) =>
  extension('2.5.29.17', sequence(...names.map((name) => element(0x82, Buffer.from(name)))));

/** What an authority must not sign. */
export const exclusions = (names: string[]) => {
  const excluded = names.map((name) => sequence(element(0x82, Buffer.from(name))));
  return extension('2.5.29.30', sequence(element(0xa1, ...excluded)));
};

/** Of an authority. */
export const AUTHORITY = extension('2.5.29.19', sequence(element(0x01, Buffer.from([0xff]))));

/** Is only long. */
export const padding = (length: number) => extension('1.2.3.4', octets(Buffer.alloc(length)));

/** The public key of a certificate, on a {@link slowCurve}. */
export function slowEcPublicKey(n: number): Buffer {
  const { curve, point } = slowCurve(n);
  return sequence(sequence(EC, curve), bits(point));
}

export const rsaPublicKey = (modulus: number, exponent: number) =>
  sequence(RSA, bits(sequence(number(modulus), number(exponent))));

export const dsaPublicKey = (length: number) => sequence(dsa(length), bits(integer(3)));
