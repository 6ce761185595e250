/** The stored part that sending needs and that is unusable, or `internal` for a bug; never the receiver's fault. */
export type Fault =
  | 'authentication'
  | 'headers'
  | 'internal'
  | 'notification'
  | 'request_head'
  | 'secret'
  | 'settings'
  | 'tls'
  | 'url';

/** Messages for the owner of the webhook; the exact cause goes to the log. */
const MESSAGES: Record<Fault, string> = {
  authentication: 'The authentication of the webhook cannot be read by this service. Set it anew.',
  headers: 'The headers of the webhook cannot be read by this service. Set them anew.',
  internal: 'The attempt failed inside this service.',
  notification: 'The notification is gone or damaged, and with it what was to be sent.',
  request_head: 'What is to be kept of the request cannot be stored by this service.',
  secret: 'The signing secret of the webhook cannot be read by this service. Rotate it.',
  settings: 'The settings of the webhook cannot be read by this service. Set them anew.',
  tls: 'The TLS certificate and key of the webhook cannot be read by this service. Set them anew.',
  url: 'The URL of the webhook cannot be read by this service. Set it anew.',
};

export const messageOf = (fault: Fault): string => MESSAGES[fault];
