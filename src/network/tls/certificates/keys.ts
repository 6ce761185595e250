import {
  BIT_STRING,
  bitsOf,
  type Element,
  elementsOf,
  INTEGER,
  OCTET_STRING,
  OID,
  SEQUENCE,
  sequenceOf,
  tagged,
} from './der.js';
import type { PemBlock } from './pem.js';

// OpenSSL computes with a key while it reads it, or with each signature, for as long as the numbers in it want. A DSA key
// of 8 KB takes seconds, and a point on a curve of somebody's own 200 ms. So keys are judged before it sees them.

/** The longest key of a certificate: to check a signature of 8192 bits takes 0.5 ms. */
const MAX_PUBLIC_RSA_BITS = 8192;
/** Each handshake signs with the key, and that holds up the process: 5 ms for 4096 bits, and eight times that for twice as many. */
const MAX_PRIVATE_RSA_BITS = 4096;
/** The usual one is 65537. The work grows with its length. */
const MAX_RSA_EXPONENT_BITS = 64;
/** A point on the longest of the curves has 133 bytes. */
const MAX_POINT_BYTES = 140;

const RSA = ['2a864886f70d010101', '2a864886f70d01010a'];
const EC = '2a8648ce3d0201';
/** Ed25519, Ed448, ML-DSA-44, -65 and -87. Their numbers all have one length. */
const FIXED = ['2b6570', '2b6571', '608648016503040311', '608648016503040312', '608648016503040313'];
/** P-256, P-384, P-521, secp256k1, brainpoolP256r1, brainpoolP384r1 and brainpoolP512r1. */
const CURVES = [
  '2a8648ce3d030107',
  '2b81040022',
  '2b81040023',
  '2b8104000a',
  '2b2403030208010107',
  '2b240303020801010b',
  '2b240303020801010d',
];

/** What is said of keys that OpenSSL is not given. */
export const KEYS_TAKEN = 'RSA, Ed25519, Ed448, ML-DSA, P-256, P-384, P-521, secp256k1 or a Brainpool curve';

/** Whether a public key is one that is quickly read and checked with. @param info SubjectPublicKeyInfo (RFC 5280, 4.1). */
export function isQuickPublicKey(info: Element | undefined): boolean {
  if (info?.tag !== SEQUENCE) return false;
  const [algorithm, key, ...more] = elementsOf(info.content);
  const { name, parameter } = algorithmOf(algorithm);
  if (key?.tag !== BIT_STRING || more.length > 0) return false;
  if (RSA.includes(name)) {
    const [modulus, exponent] = sequenceOf(key.content.subarray(1));
    return bitsOf(modulus) <= MAX_PUBLIC_RSA_BITS && bitsOf(exponent) <= MAX_RSA_EXPONENT_BITS;
  }
  return FIXED.includes(name) || (name === EC && isCurve(parameter) && key.content.length <= MAX_POINT_BYTES);
}

/** What is wrong with a private key before OpenSSL reads it; null if nothing is. */
export function faultOfPrivateKey({ label, der }: PemBlock): string | null {
  const fields = sequenceOf(der);
  if (label === 'RSA PRIVATE KEY') return faultOfRsa(fields);
  if (label === 'EC PRIVATE KEY') return isEcKey(fields, true) ? null : OTHER_KEY;
  // PKCS #8 (RFC 5958): a version, the algorithm, and the key in a form of its own.
  const [version, algorithm, key] = fields;
  if (version?.tag !== INTEGER || key?.tag !== OCTET_STRING) return OTHER_KEY;
  const { name, parameter } = algorithmOf(algorithm);
  if (RSA.includes(name)) return faultOfRsa(sequenceOf(key.content));
  const isEc = name === EC && isCurve(parameter) && isEcKey(sequenceOf(key.content), false);
  return isEc || FIXED.includes(name) ? null : OTHER_KEY;
}

const OTHER_KEY = `must be a key of one of these kinds: ${KEYS_TAKEN}`;

function algorithmOf(algorithm: Element | undefined): { name: string; parameter: Element | undefined } {
  const [oid, parameter] = algorithm?.tag === SEQUENCE ? elementsOf(algorithm.content) : [];
  return { name: oid?.tag === OID ? oid.content.toString('hex') : '', parameter };
}

const isCurve = (parameter: Element | undefined) =>
  parameter?.tag === OID && CURVES.includes(parameter.content.toString('hex'));

/** RSAPrivateKey (RFC 8017, A.1.2): a version and eight numbers. None of them has to be longer than the modulus, the first. */
function faultOfRsa([version, modulus, exponent, ...others]: Element[]): string | null {
  const bits = bitsOf(modulus);
  if (version?.content.toString('hex') !== '00' || bits === Number.POSITIVE_INFINITY || others.length !== 6)
    return OTHER_KEY;
  if (bits > MAX_PRIVATE_RSA_BITS) return `must have at most ${MAX_PRIVATE_RSA_BITS} bits`;
  const isUsual = bitsOf(exponent) <= MAX_RSA_EXPONENT_BITS && others.every((one) => bitsOf(one) <= bits);
  return isUsual ? null : OTHER_KEY;
}

/** ECPrivateKey (RFC 5915): a version, the number, and perhaps the curve and the point, tagged 0 and 1. */
function isEcKey([version, number, ...others]: Element[], namesCurve: boolean): boolean {
  const curves = others.filter(({ tag }) => tag === tagged(0)).map(({ content }) => elementsOf(content));
  return (
    version?.tag === INTEGER &&
    number?.tag === OCTET_STRING &&
    number.content.length <= MAX_POINT_BYTES &&
    (curves.length > 0 || !namesCurve) &&
    curves.every((curve) => curve.length === 1 && isCurve(curve[0])) &&
    others.every(
      ({ tag, content }) => tag === tagged(0) || (tag === tagged(1) && content.length <= MAX_POINT_BYTES),
    )
  );
}
