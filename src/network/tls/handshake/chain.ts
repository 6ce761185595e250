import { KEYS_TAKEN } from '../certificates/keys.js';
import { type Measure, totalOf } from '../certificates/measure.js';

/** Four is usual. Each is a signature to check. */
const MAX_CERTIFICATES = 10;
/** Four with RSA keys of 4096 bits and a hundred names have 10 KB. */
const MAX_CHAIN_BYTES = 16 * 1024;
/** Bytes of names times bytes of name constraints: OpenSSL compares each with each, which takes 10 ms for so many. */
const MAX_COMPARED = 8 * 1024 * 1024;

/**
 * What is wrong with a receiver's certificates before OpenSSL reads them; null if nothing is.
 *
 * @param trusted of the authorities that the webhook names, which may stand above them.
 */
export function faultOfChain(certificates: Buffer[], trusted: Measure): string | null {
  const bytes = certificates.reduce((sum, { length }) => sum + length, 0);
  if (certificates.length > MAX_CERTIFICATES || bytes > MAX_CHAIN_BYTES)
    return `The receiver showed more than ${MAX_CERTIFICATES} TLS certificates, or more than ${MAX_CHAIN_BYTES / 1024} KiB of them.`;
  const total = totalOf(certificates);
  if (total === null) return `A TLS certificate of the receiver has no key of ${KEYS_TAKEN}.`;
  const compared = (total.names + trusted.names) * (total.constraints + trusted.constraints);
  return compared > MAX_COMPARED
    ? 'The TLS certificates of the receiver have too many names and name constraints.'
    : null;
}
