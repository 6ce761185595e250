import { constants } from 'node:crypto';
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';
import { faultOfPrivateKey, KEYS_TAKEN } from './certificates/keys.js';
import { type Measure, totalOf } from './certificates/measure.js';
import { certificatesIn, keyIn, pemOf } from './certificates/pem.js';

/** What a connection shows of itself and whom it trusts, in place of what holds for the whole service. PEM. */
export interface ClientTls {
  certificate: string | null;
  key: string | null;
  /** The only authorities to trust. */
  ca: string | null;
}

/** Connections and their TLS sessions are shared only under the same `id`. */
export interface NamedTls extends ClientTls {
  id: string;
}

/** Holds for every connection. */
export const TLS_BOUNDS = {
  // With DHE the server may choose a group of its own, in which a key takes a second.
  ciphers: `${DEFAULT_CIPHERS}:!DHE`,
  // A second handshake on an open connection would show other certificates, unseen.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

/** What a connection is made with. */
export interface ClientContext {
  secureContext: SecureContext;
  /** The measure of the webhook's own authorities. */
  trusted: Measure;
}

/** Making one takes milliseconds, so it is made once for each object. */
const contexts = new WeakMap<ClientTls, ClientContext>();

/** @param trusted the authorities to trust if `tls` names none. @throws Error if OpenSSL does not take the values. */
export function contextOf(tls: ClientTls, trusted?: string): ClientContext {
  let context = contexts.get(tls);
  if (context === undefined) {
    const { certificate, key, ca } = tls;
    const authorities = certificatesIn(ca ?? '');
    const secureContext = createSecureContext({
      ...TLS_BOUNDS,
      ...(certificate !== null && { cert: judged(certificatesIn(certificate)) }),
      ...(key !== null && { key: judgedKey(key) }),
      ca: ca === null ? trusted : judged(authorities),
      // An authority may be an intermediate one, or the receiver's own certificate.
      allowPartialTrustChain: ca !== null,
    });
    context = { secureContext, trusted: totalOf(authorities) as Measure };
    contexts.set(tls, context);
  }
  return context;
}

/** @throws Error if OpenSSL would compute for long with one of them. */
function judged(certificates: Buffer[]): string {
  if (totalOf(certificates) === null) throw new Error(`A certificate has no key of ${KEYS_TAKEN}.`);
  return certificates.map((der) => pemOf({ label: 'CERTIFICATE', der })).join('');
}

/** @throws Error if OpenSSL would compute for long with it. */
function judgedKey(text: string): string {
  const key = keyIn(text);
  const fault = key === null ? 'is not in PEM' : faultOfPrivateKey(key);
  if (key === null || fault !== null) throw new Error(`The key ${fault}.`);
  return pemOf(key);
}

/** Why values cannot be used, though each of them can be read; null if they can. */
export function faultOfContext(tls: ClientTls): string | null {
  try {
    contextOf(tls);
    return null;
  } catch (error) {
    const isWeak = /too small|too weak/i.test((error as Error).message);
    return isWeak
      ? 'is too weak: the certificate needs a longer key, or a better signature'
      : 'cannot be used for TLS';
  }
}
