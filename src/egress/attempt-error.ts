/** Why an attempt failed; part of the API, so values are only ever added. */
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

/** `message` is one plain sentence for the webhook's owner: no stack, no address of this host. */
export interface AttemptError {
  code: AttemptErrorCode;
  message: string;
}
