import { createSecureContext, type SecureContext } from 'node:tls';

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

/** Making one takes milliseconds, so it is made once for each object. */
const contexts = new WeakMap<ClientTls, SecureContext>();

/** @param trusted the authorities to trust if `tls` names none. @throws Error if OpenSSL does not take the values. */
export function contextOf(tls: ClientTls, trusted?: string): SecureContext {
  let context = contexts.get(tls);
  if (context === undefined) {
    const { certificate, key, ca } = tls;
    context = createSecureContext({
      ...(certificate !== null && { cert: certificate }),
      ...(key !== null && { key }),
      ca: ca ?? trusted,
      // An authority may be an intermediate one, or the receiver's own certificate.
      allowPartialTrustChain: ca !== null,
    });
    contexts.set(tls, context);
  }
  return context;
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
