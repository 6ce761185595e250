import type { AttemptError } from '../../egress/attempt-error.js';
import type { Exchange } from '../../transport/transport.js';

/** The outcome of an exchange for its trigger. */
export interface Judgement {
  /** Null if the attempt succeeded. */
  error: AttemptError | null;
  /** The receiver answered 410: its webhook is to be disabled. */
  gone: boolean;
  /** The raw `Retry-After` header of an answer on which it is honoured: 429 or 503. */
  retryAfter: string | undefined;
}

/** A 2xx is a success, whatever its body. Any other status, and any network failure, is not. */
export function judge(exchange: Exchange): Judgement {
  if (exchange.response === null) return { error: exchange.error, gone: false, retryAfter: undefined };
  const { status, headers } = exchange.response;
  return {
    error: statusError(status),
    gone: status === 410,
    retryAfter: status === 429 || status === 503 ? headers['retry-after'] : undefined,
  };
}

/** Whether the receiver is up. A 4xx refuses this one request, but proves that as well as a 2xx does. */
export function hasAnswered({ response }: Exchange): boolean {
  return response !== null && response.status < 500 && response.status !== 429;
}

function statusError(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) {
    return { code: 'redirect', message: `The receiver answered ${status}; redirects are not followed.` };
  }
  return { code: 'http_status', message: `The receiver answered ${status}.` };
}
