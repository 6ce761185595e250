import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { faultOfContext } from '../../egress/client-tls.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----/g;
const KEY = /-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----[\sA-Za-z0-9+/=]+-----END \1-----/;
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: *4, *ENCRYPTED/;
const BEGIN = '-----BEGIN CERTIFICATE';

const NO_CERTIFICATE = 'must be one or more certificates in PEM (-----BEGIN CERTIFICATE-----)';
const NO_KEY = 'must be a private key in PEM (-----BEGIN PRIVATE KEY-----)';
const IS_ENCRYPTED =
  'is encrypted, and there is no passphrase for it; give the key without one (openssl pkey -in key.pem)';
/** Each handshake signs with the key, and that holds up the process: 5 ms for 4096 bits, and eight times that for twice as many. */
const MAX_RSA_BITS = 4096;
const UNPAIRED = 'is not the key of the client certificate';

/** The PEM blocks of certificates in a text, without what stands between them; null if there are none. */
export function certificatesIn(text: string): string | null {
  const blocks = text.match(CERTIFICATE);
  return blocks === null ? null : blocks.map(tidy).join('');
}

/** The PEM block of a private key in a text; null if there is none. */
export function keyIn(text: string): string | null {
  const [block] = KEY.exec(text) ?? [];
  return block === undefined ? null : tidy(block);
}

/** @param now epoch milliseconds. @returns what is wrong with certificates; null if nothing is. */
export function faultOfCertificates(text: string, now: number): string | null {
  const blocks = text.match(CERTIFICATE);
  if (blocks === null || blocks.length < text.split(BEGIN).length - 1) return NO_CERTIFICATE;
  for (const [index, block] of blocks.entries()) {
    const certificate = readCertificate(block);
    if (certificate === null) return NO_CERTIFICATE;
    const end = certificate.validToDate;
    if (end.getTime() <= now) {
      const which = blocks.length > 1 ? `: certificate ${index + 1} of ${blocks.length}` : '';
      return `has ended on ${end.toISOString().slice(0, 10)}${which}`;
    }
  }
  return null;
}

/** What is wrong with a private key; null if nothing is. */
export function faultOfKey(text: string): string | null {
  if (ENCRYPTED.test(text)) return IS_ENCRYPTED;
  const key = readKey(text);
  if (key === null) return NO_KEY;
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  return modulusLength > MAX_RSA_BITS ? `must have at most ${MAX_RSA_BITS} bits` : null;
}

/** Whether a key is not that of a certificate, or the two cannot be used. Either of them may be broken. */
export function faultOfPair(certificateText: string, keyText: string): string | null {
  const certificate = readCertificate(certificateText.match(CERTIFICATE)?.[0] ?? '');
  const key = readKey(keyText);
  if (certificate === null || key === null || !certificate.checkPrivateKey(key)) return UNPAIRED;
  return faultOfContext({ certificate: certificatesIn(certificateText), key: keyIn(keyText), ca: null });
}

function readCertificate(block: string): X509Certificate | null {
  try {
    return new X509Certificate(block);
  } catch {
    return null;
  }
}

function readKey(text: string): KeyObject | null {
  try {
    return createPrivateKey(keyIn(text) ?? '');
  } catch {
    return null;
  }
}

/** Lines of the base64 alone, as OpenSSL writes them. */
const tidy = (block: string) =>
  block
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => `${line}\n`)
    .join('');
