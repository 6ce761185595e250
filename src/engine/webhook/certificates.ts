import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { faultOfPrivateKey, KEYS_TAKEN } from '../../network/tls/certificates/keys.js';
import { measureOf } from '../../network/tls/certificates/measure.js';
import { certificatesIn, keyIn, type PemBlock, pemOf } from '../../network/tls/certificates/pem.js';
import { faultOfContext } from '../../network/tls/client-tls.js';

const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: *4, *ENCRYPTED/;
const BEGIN = '-----BEGIN CERTIFICATE';

const NO_CERTIFICATE = 'must be one or more certificates in PEM (-----BEGIN CERTIFICATE-----)';
const NO_KEY = 'must be a private key in PEM (-----BEGIN PRIVATE KEY-----)';
const IS_ENCRYPTED =
  'is encrypted, and there is no passphrase for it; give the key without one (openssl pkey -in key.pem)';
const UNPAIRED = 'is not the key of the client certificate';

/** The PEM blocks of certificates in a text, without what stands between them; null if there are none. */
export function certificatesOf(text: string): string | null {
  const certificates = certificatesIn(text);
  return certificates.length === 0
    ? null
    : certificates.map((der) => pemOf({ label: 'CERTIFICATE', der })).join('');
}

/** The PEM block of a private key in a text; null if there is none. */
export function keyOf(text: string): string | null {
  const key = keyIn(text);
  return key && pemOf(key);
}

/** @param now epoch milliseconds. @returns what is wrong with certificates; null if nothing is. */
export function faultOfCertificates(text: string, now: number): string | null {
  const certificates = certificatesIn(text);
  if (certificates.length === 0 || certificates.length < text.split(BEGIN).length - 1) return NO_CERTIFICATE;
  for (const [index, der] of certificates.entries()) {
    const which = certificates.length > 1 ? `: certificate ${index + 1} of ${certificates.length}` : '';
    const certificate = readCertificate(der);
    if (certificate === null) return `${NO_CERTIFICATE}, with keys of ${KEYS_TAKEN}${which}`;
    const end = certificate.validToDate;
    if (end.getTime() <= now) return `has ended on ${end.toISOString().slice(0, 10)}${which}`;
  }
  return null;
}

/** What is wrong with a private key; null if nothing is. */
export function faultOfKey(text: string): string | null {
  if (ENCRYPTED.test(text)) return IS_ENCRYPTED;
  const block = keyIn(text);
  if (block === null) return NO_KEY;
  return faultOfPrivateKey(block) ?? (readKey(block) === null ? NO_KEY : null);
}

/** Whether a key is not that of a certificate, or the two cannot be used. Either of them may be broken. */
export function faultOfPair(certificateText: string, keyText: string): string | null {
  const [der] = certificatesIn(certificateText);
  const block = keyIn(keyText);
  const certificate = der === undefined ? null : readCertificate(der);
  const key = block === null ? null : readKey(block);
  if (certificate === null || key === null || !certificate.checkPrivateKey(key)) return UNPAIRED;
  return faultOfContext({ certificate: certificateText, key: keyText, ca: null });
}

/** Null if a certificate cannot be read, or would take long. */
function readCertificate(der: Buffer): X509Certificate | null {
  if (measureOf(der) === null) return null;
  try {
    return new X509Certificate(der);
  } catch {
    return null;
  }
}

/** Null if a key cannot be read, or would take long. */
function readKey(block: PemBlock): KeyObject | null {
  if (faultOfPrivateKey(block) !== null) return null;
  try {
    return createPrivateKey(pemOf(block));
  } catch {
    return null;
  }
}
