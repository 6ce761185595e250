import type { CertificateFacts } from '../../../network/attempt-error.js';
import type { Diagnosis, FailedAttempt } from './diagnosis.js';

type ByReason = (host: string, certificate: CertificateFacts) => Diagnosis;

const dayOf = (time: string | undefined) => (time === undefined ? '' : ` on ${time.slice(0, 10)}`);

const selfSigned: ByReason = (host) => ({
  summary: `The TLS certificate of ${host} is self-signed.`,
  advice:
    'Use a certificate of a public authority, such as the free ones of Let’s Encrypt, or trust this one as tls.ca of the webhook.',
});

const unknownIssuer: ByReason = (host, { issuer }) => ({
  summary: `The TLS certificate of ${host} is signed by ${issuer ?? 'somebody'}, which leads to no known authority.`,
  advice:
    'Let your server send the whole chain, with the intermediate certificates (often a file named fullchain.pem), or use a certificate of a public authority. One of your own can be trusted as tls.ca of the webhook.',
});

/** By the code of OpenSSL or Node. */
export const TLS_REASONS: Readonly<Record<string, ByReason>> = {
  CERT_HAS_EXPIRED: (host, { validTo }) => ({
    summary: `The TLS certificate of ${host} expired${dayOf(validTo)}.`,
    advice: 'Renew it and reload your server, and check that it is renewed automatically from now on.',
  }),
  CERT_NOT_YET_VALID: (host, { validFrom }) => ({
    summary: `The TLS certificate of ${host} is not valid yet${validFrom ? `; it begins${dayOf(validFrom)}` : ''}.`,
    advice: 'Use a certificate that is valid today, and check the clock of the machine that issued it.',
  }),
  ERR_TLS_CERT_ALTNAME_INVALID: (host, { names }) => ({
    summary: `The TLS certificate is not for ${host}${names?.length ? `, but for ${names.join(', ')}` : ''}.`,
    advice: `Use a certificate that names ${host}, or a URL with a name of the certificate.`,
  }),
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  CERT_REVOKED: (host) => ({
    summary: `The TLS certificate of ${host} was revoked.`,
    advice: 'Have a new certificate issued, and reload your server.',
  }),
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: (host) => ({
    summary: `${host} wants a client certificate, and was shown none.`,
    advice: 'Give the webhook one in tls: client_certificate, with the intermediate ones, and client_key.',
  }),
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: (host) => ({
    summary: `${host} does not know the authority that signed the client certificate.`,
    advice:
      'Check tls.client_certificate of the webhook, with the intermediate ones behind it, and the authorities that your server takes clients from.',
  }),
  ERR_SSL_WRONG_VERSION_NUMBER: (host) => ({
    summary: `${host} does not speak TLS at this port.`,
    advice: 'Use http in the URL if your server has no TLS there, or the port at which it has.',
  }),
};

export function ofTls({ detail, message }: FailedAttempt): Diagnosis {
  const { reason = '', certificate = {}, host = 'the host of the URL' } = detail;
  const diagnose = Object.hasOwn(TLS_REASONS, reason) ? TLS_REASONS[reason] : undefined;
  if (diagnose) return diagnose(host, certificate);
  return {
    summary: `${message}${reason ? ` (${reason})` : ''}`,
    advice:
      'Check the TLS settings of your server: TLS 1.2 or later, a certificate of a public authority, and the whole chain.',
  };
}
