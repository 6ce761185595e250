import type {
  AttemptError,
  AttemptErrorCode,
  AttemptErrorDetail,
  CertificateFacts,
} from './attempt-error.js';

/** An expected failure of an attempt. {@link toAttemptError} makes an {@link AttemptError} of it. */
export class AttemptFailure extends Error {
  override readonly name: string = 'AttemptFailure';

  constructor(
    readonly failure: AttemptErrorCode,
    message: string,
    options?: ErrorOptions,
    readonly detail?: AttemptErrorDetail,
  ) {
    super(message, options);
  }
}

/** The address policy refused the URL or an address that its name resolves to. */
export class BlockedAddressError extends AttemptFailure {
  override readonly name = 'BlockedAddressError';

  constructor(message: string) {
    super('blocked_address', message);
  }
}

const MESSAGES: Record<AttemptErrorCode, string> = {
  timeout: 'The receiver did not answer in time.',
  dns: 'The host name could not be resolved.',
  connection_refused: 'The connection was refused.',
  connection_reset: 'The connection was closed before a response came.',
  tls: 'The TLS handshake failed.',
  blocked_address: 'The address is not one that webhooks may point to.',
  http_status: 'The response status is not a success.',
  redirect: 'The receiver answered with a redirect, which is not followed.',
  invalid_response: 'The response is not valid HTTP.',
  response_too_large: 'The headers of the response are too large.',
  auth: 'The token endpoint gave no access token.',
  internal: 'The attempt failed inside this service.',
};

/** The error for a code, with its plain sentence unless another one is given. */
export function failureOf(code: AttemptErrorCode, message = MESSAGES[code]): AttemptError {
  return { code, message };
}

/** Maps an error that Node, undici or axios threw before the response headers had arrived. */
export function toAttemptError(error: unknown): AttemptError {
  for (const cause of chainOf(error)) {
    if (cause instanceof AttemptFailure) return failureOf(cause.failure, cause.message);
    const code = codeOf(cause);
    if (code !== null) return failureOf(code);
  }
  return failureOf('internal');
}

/** What a thrown error tells beyond its message; undefined if nothing. */
export function detailOf(error: unknown): AttemptErrorDetail | undefined {
  const chain = chainOf(error);
  const failure = chain.find((cause) => cause instanceof AttemptFailure);
  if (failure instanceof AttemptFailure) return failure.detail;
  // The receiver may refuse a certificate once the handshake is done.
  const reason = chain.map(rawCodeOf).find((code) => code.startsWith('ERR_SSL_'));
  return reason === undefined ? undefined : { reason };
}

/** The failure for a code, with its plain sentence. */
export function failed(
  code: AttemptErrorCode,
  options?: ErrorOptions,
  detail?: AttemptErrorDetail,
): AttemptFailure {
  return new AttemptFailure(code, MESSAGES[code], options, detail);
}

/** Turns a thrown error into a failure; a failure is returned as it is. */
export function toFailure(error: unknown): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  const { code, message } = toAttemptError(error);
  return new AttemptFailure(code, message, { cause: error });
}

/** True if a body broke the HTTP framing, rather than ended early or was cut. */
export function isBrokenFraming(error: unknown): boolean {
  return chainOf(error).some((cause) => {
    const code = rawCodeOf(cause);
    return code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE' && code !== 'HPE_HEADER_OVERFLOW';
  });
}

/** Maps an error that ended the TLS handshake. @param certificate what the receiver showed. */
export function tlsFailure(error: NodeJS.ErrnoException, certificate?: CertificateFacts): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  const code = error.code ?? '';
  // The peer went away; its TLS was correct until then.
  if (CONNECTION_RESET.has(code)) {
    return failed('connection_reset', { cause: error });
  }
  const message = TLS_MESSAGES[code] ?? MESSAGES.tls;
  return new AttemptFailure(
    'tls',
    message,
    { cause: error },
    { reason: code, ...(certificate && { certificate }) },
  );
}

const CONNECTION_REFUSED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES', // a local firewall
  'EPERM',
]);
const CONNECTION_RESET = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ENOTCONN', 'UND_ERR_SOCKET']);
const TIMED_OUT = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ERR_SOCKET_CONNECTION_TIMEOUT']);
const TOO_LARGE = new Set(['HPE_HEADER_OVERFLOW', 'UND_ERR_HEADERS_OVERFLOW']);
// undici fails an assertion on a status below 100, which its parser lets through.
const INVALID_RESPONSE = new Set(['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'ERR_ASSERTION']);
const DNS = /^(ENOTFOUND|ENODATA|ESERVFAIL|EAI_|EBADNAME)/;
const TLS = /^(EPROTO$|ERR_TLS_|ERR_SSL_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH)/;

const SELF_SIGNED = 'The TLS certificate is self-signed.';
const BROKEN_CHAIN = 'The chain of the TLS certificate cannot be verified.';
const TLS_MESSAGES: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: SELF_SIGNED,
  CERT_HAS_EXPIRED: 'The TLS certificate has expired.',
  CERT_NOT_YET_VALID: 'The TLS certificate is not valid yet.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The TLS certificate is not for this host name.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: BROKEN_CHAIN,
  UNABLE_TO_GET_ISSUER_CERT: BROKEN_CHAIN,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: BROKEN_CHAIN,
};

function codeOf(error: Thrown): AttemptErrorCode | null {
  const code = rawCodeOf(error);
  // undici has no code of its own for an interim or upgrade response that it does not accept.
  if (code === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(error.message ?? ''))
    return 'invalid_response';
  if (CONNECTION_REFUSED.has(code)) return 'connection_refused';
  if (CONNECTION_RESET.has(code)) return 'connection_reset';
  if (TIMED_OUT.has(code)) return 'timeout';
  if (TOO_LARGE.has(code)) return 'response_too_large';
  // A peer that closes in the middle of its headers sent too little, but nothing wrong.
  if (code === 'HPE_INVALID_EOF_STATE') return 'connection_reset';
  if (INVALID_RESPONSE.has(code) || code.startsWith('HPE_')) return 'invalid_response';
  if (DNS.test(code)) return 'dns';
  return TLS.test(code) ? 'tls' : null;
}

function rawCodeOf({ code, name, message }: Thrown): string {
  // undici documents Node's codes for its parser errors, but sets none.
  if (name !== 'HTTPParserError' || code !== undefined) return String(code ?? '');
  return /EOF/.test(message ?? '') ? 'HPE_INVALID_EOF_STATE' : 'HPE_UNKNOWN';
}

interface Thrown {
  name?: string;
  code?: unknown;
  message?: string;
  cause?: unknown;
  errors?: unknown[];
}

/** The error and its causes. Checked by shape: an error of Node may be an `Error` of another realm (vm, Jest). */
function chainOf(error: unknown): Thrown[] {
  const chain: Thrown[] = [];
  // Bounded, because causes may form a cycle.
  while (typeof error === 'object' && error !== null && chain.length < 8) {
    const thrown = error as Thrown;
    chain.push(thrown);
    error = thrown.cause ?? thrown.errors?.at(-1);
  }
  return chain;
}
