import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { CertificateFacts } from '../attempt-error.js';

/** What is kept must fit into a row, whatever the receiver shows. */
const MAX_NAMES = 5;
const MAX_NAME_LENGTH = 100;

/**
 * Looks at the receiver's certificate before it is judged: an error for it destroys the socket, and the certificate with
 * it.
 *
 * @returns a function that answers what was seen; undefined if the handshake did not come that far.
 */
export function watchCertificate(socket: TLSSocket): () => CertificateFacts | undefined {
  let facts: CertificateFacts | undefined;
  // Node emits it when the handshake is done, and judges the certificate in a listener of its own.
  socket.prependOnceListener('secure', () => {
    try {
      facts = factsOf(socket.getPeerCertificate());
    } catch {
      // It is only told about; whether it is good is judged elsewhere.
    }
  });
  return () => facts;
}

function factsOf(certificate: Partial<PeerCertificate> | null): CertificateFacts | undefined {
  if (!certificate?.valid_to) return undefined;
  const { valid_from, valid_to, subjectaltname, subject, issuer } = certificate;
  const names = namesOf(subjectaltname) ?? [subject?.CN].flat();
  const issuers = [issuer?.O ?? issuer?.CN].flat();
  return {
    ...dateOf('validFrom', valid_from),
    ...dateOf('validTo', valid_to),
    names: names
      .flatMap((name) => name ?? [])
      .slice(0, MAX_NAMES)
      .map(shortened),
    ...(issuers[0] && { issuer: shortened(issuers[0]) }),
  };
}

/** From `DNS:example.com, IP Address:192.0.2.1`. A name with a comma in it stands in quotes, and is none of a host. */
const namesOf = (text: string | undefined) =>
  text
    ?.split(', ')
    .filter((part) => /^(DNS|IP Address):/.test(part))
    .map((part) => part.slice(part.indexOf(':') + 1));

function dateOf(name: 'validFrom' | 'validTo', text: string | undefined): CertificateFacts {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? {} : { [name]: new Date(time).toISOString() };
}

/** Printable characters only: they come from a stranger. */
const shortened = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_NAME_LENGTH);
