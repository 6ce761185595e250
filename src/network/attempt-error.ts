import type { AttemptPhase } from './phase-clock.js';

/** Why an attempt failed. Part of the API: values may be added, never removed. */
export const ATTEMPT_ERROR_CODES = [
  'timeout',
  'dns',
  'connection_refused',
  'connection_reset',
  'tls',
  'blocked_address',
  'http_status',
  'redirect',
  'invalid_response',
  'response_too_large',
  'auth',
  'internal',
] as const;
/** One of {@link ATTEMPT_ERROR_CODES}. */
export type AttemptErrorCode = (typeof ATTEMPT_ERROR_CODES)[number];

/** What is known of an error beyond its message. */
export interface AttemptErrorDetail {
  /** What took too long. */
  phase?: AttemptPhase;
  /** The code of the operating system or of OpenSSL, such as `CERT_HAS_EXPIRED`. */
  reason?: string;
  certificate?: CertificateFacts;
  /** The addresses of which none let a connection be opened, if there were several: at most five, with commas. */
  addresses?: string;
  /** The URL of the request, without its query, to which the `Location` of the answer is relative. */
  from?: string;
}

/** What a certificate says that was refused. */
export interface CertificateFacts {
  /** RFC 3339, UTC. */
  validFrom?: string;
  /** RFC 3339, UTC. */
  validTo?: string;
  /** The names it is for, at most five. */
  names?: string[];
  /** Who signed it. */
  issuer?: string;
}

/** Why an attempt failed. */
export interface AttemptError {
  /** For programs. Codes may be added. */
  code: AttemptErrorCode;
  /** One plain sentence for the webhook's owner, without a stack or an address of this host. */
  message: string;
}
