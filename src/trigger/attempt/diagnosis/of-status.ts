import type { Diagnosis, FailedAttempt } from './diagnosis.js';

const SIGNATURE =
  'Check the code that verifies the signature: it needs the raw bytes of the body, before any JSON parser, the headers webhook-id, webhook-timestamp and webhook-signature, and the current secret of this webhook.';
const REPEATED = 'While the schedule lasts, the request is sent again.';
const LOG = 'Look at the log of your service at that time.';

/** What the common statuses mean here: the words after "The receiver answered NNN: ", and what to do. */
export const STATUSES: Readonly<Record<number, readonly [meaning: string, advice: string]>> = {
  400: [
    'it does not take the request as valid',
    `${SIGNATURE} Then check what else it requires of the body.`,
  ],
  401: [
    'it does not accept the request as authentic',
    `${SIGNATURE} If it wants credentials instead, check the authentication and the headers of the webhook.`,
  ],
  403: [
    'it does not allow the request',
    `${SIGNATURE} Also check whether a firewall, bot protection or CSRF check stands before it, and except this path.`,
  ],
  404: [
    'nothing is there',
    'Check the path of the URL, and that the route takes POST requests and is deployed.',
  ],
  405: ['the path does not take POST', 'Make the route take POST requests, or correct the path of the URL.'],
  406: ['it cannot answer in an accepted form', 'Let the route answer without content negotiation.'],
  408: [
    'it waited too long for the request',
    'The body is sent at once, so a proxy or an overloaded server is the likely cause. Look at its timeouts.',
  ],
  409: [
    'it sees a conflict',
    'If it has the notification already, answer 2xx: deliveries may repeat, with the same webhook-id.',
  ],
  410: [
    'the receiver is gone for good',
    'The webhook was disabled for it. If it should still receive, answer another status and enable it again.',
  ],
  411: ['it wants a Content-Length', 'Requests carry one; look for a proxy that removes it.'],
  413: [
    'the body is too large for it',
    'Raise the limit of the body in your server and in the proxies before it: a notification may have a mebibyte and a little more.',
  ],
  415: [
    'it does not take this type of content',
    'Let the route take application/json; charset=utf-8, and read the raw body to verify the signature.',
  ],
  421: [
    'the server is not the one for this host',
    'Check the host of the URL, and the hosts that the server knows.',
  ],
  422: [
    'it understands the request but does not accept its content',
    'Let it take fields and kinds that it does not know: new ones may be added. Answer 2xx for what it does not need.',
  ],
  426: ['it wants another protocol', 'Requests are made with HTTP/1.1; let the server take it.'],
  429: [
    'it gets more requests than it allows',
    'Raise the limit for these requests, or answer with Retry-After, which is honoured up to an hour.',
  ],
  431: ['the headers are too large for it', 'Remove own headers of the webhook that it does not need.'],
  451: ['it refuses for legal reasons', 'Whoever runs the receiver has to say why.'],
  500: [
    'it failed',
    `${LOG} Most often it is an exception in the code that handles the request. ${REPEATED}`,
  ],
  501: ['it does not support the request', 'Make the route take POST requests.'],
  502: [
    'the proxy before it got no valid answer from it',
    `Check that your service runs and does not crash on the request. ${REPEATED}`,
  ],
  503: [
    'it is overloaded or down for maintenance',
    `Look at the load of your service. It may answer with Retry-After, which is honoured up to an hour. ${REPEATED}`,
  ],
  504: [
    'the proxy before it waited too long for it',
    `Answer 2xx at once, and do the work afterwards, such as from a queue. ${REPEATED}`,
  ],
  507: ['it has no space left', 'Free space on the receiver.'],
  520: ['Cloudflare got an answer from it that is not valid', `${LOG} ${REPEATED}`],
  521: [
    'it refused the connection of Cloudflare',
    'Check that your server runs and lets the addresses of Cloudflare in.',
  ],
  522: [
    'it did not accept the connection of Cloudflare in time',
    'Check that your server runs and lets the addresses of Cloudflare in.',
  ],
  523: [
    'Cloudflare could not reach it',
    'Check the address of your server in the DNS settings of Cloudflare.',
  ],
  524: [
    'it did not answer Cloudflare in time',
    'Answer 2xx at once, and do the work afterwards, such as from a queue.',
  ],
  525: [
    'its TLS handshake with Cloudflare failed',
    'Check the certificate and the TLS settings of your server.',
  ],
  526: [
    'its certificate is not valid for Cloudflare',
    'Renew the certificate of your server, or correct its names.',
  ],
};

export function ofStatus({ status, message, retryAfter }: FailedAttempt): Diagnosis {
  if (status === null) return { summary: message, advice: LOG };
  const [meaning, advice] = STATUSES[status] ?? othersOf(status);
  const waits = retryAfter !== null && [429, 502, 503, 504].includes(status);
  return {
    summary: `The receiver answered ${status}: ${meaning}.${waits ? ' It asked to wait, with Retry-After.' : ''}`,
    advice,
  };
}

function othersOf(status: number): readonly [string, string] {
  return status < 500
    ? ['it refuses the request', `${LOG} Only an answer of 2xx counts as received.`]
    : ['it failed', `${LOG} ${REPEATED}`];
}
