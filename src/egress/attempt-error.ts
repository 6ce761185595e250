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
  'internal',
] as const;
/** One of {@link ATTEMPT_ERROR_CODES}. */
export type AttemptErrorCode = (typeof ATTEMPT_ERROR_CODES)[number];

/** Why an attempt failed. */
export interface AttemptError {
  /** For programs. Codes may be added. */
  code: AttemptErrorCode;
  /** One plain sentence for the webhook's owner, without a stack or an address of this host. */
  message: string;
}
