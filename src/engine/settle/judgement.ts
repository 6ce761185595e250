import type { AttemptError } from '../../network/attempt-error.js';
import type { Exchange } from '../../network/transport/transport.js';

/** The outcome of an exchange for its trigger. */
export interface Judgement {
  /** Null if the attempt succeeded. */
  error: AttemptError | null;
  /** The receiver answered 410: there is no further attempt, and its webhook is disabled. */
  gone: boolean;
  /** The raw `Retry-After` header of an answer on which it is honoured: that of a busy receiver. */
  retryAfter: string | undefined;
}

/** A 2xx is a success, whatever its body. Any other status, and any network failure, is not. */
export function judge(exchange: Exchange): Judgement {
  if (exchange.response === null) return { error: exchange.error, gone: false, retryAfter: undefined };
  const { status, headers } = exchange.response;
  return {
    error: statusError(status),
    gone: status === 410,
    retryAfter: isBusy(status) ? headers['retry-after'] : undefined,
  };
}

/** Whether {@link judge} finds no error. */
export const isSuccess = ({ response }: Exchange) =>
  response !== null && statusError(response.status) === null;

/** How the receiver is. A 4xx refuses this one request, but proves that it is up as well as a 2xx does. */
export function verdictOn({ response }: Exchange): 'up' | 'down' | 'busy' {
  if (response === null) return 'down';
  if (isBusy(response.status)) return 'busy';
  return response.status < 500 ? 'up' : 'down';
}

/** Too many requests, or a gateway whose server does not keep up: all of the webhook is to be slower. */
const isBusy = (status: number) => BUSY.has(status);
const BUSY = new Set([429, 502, 503, 504]);

function statusError(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) {
    return { code: 'redirect', message: `The receiver answered ${status}; redirects are not followed.` };
  }
  return { code: 'http_status', message: `The receiver answered ${status}.` };
}
