import type { AttemptError } from '../../network/attempt-error.js';
import type { Exchange } from '../../network/transport/transport.js';
import type { DisabledReason } from '../../store/tables/webhook/webhook.entity.js';

/** The outcome of an exchange for its trigger, and for its webhook. */
export interface Judgement extends Omit<Consequence, 'isBusy'> {
  /** Null if the attempt succeeded. */
  error: AttemptError | null;
  /** The raw `Retry-After` header of an answer on which it is honoured: that of a busy receiver. */
  retryAfter: string | undefined;
}

/** What an answer means beyond success and failure. */
interface Consequence {
  /** There is no further attempt. */
  isFinal: boolean;
  /** Why the webhook is disabled for it at once; null if it is not. */
  disables: DisabledReason | null;
  /** The receiver does not keep up: all of the webhook is to be slower. */
  isBusy: boolean;
}

const NOTHING_MORE: Consequence = { isFinal: false, disables: null, isBusy: false };
const BUSY: Consequence = { ...NOTHING_MORE, isBusy: true };

/** By the status of the answer; those that are not listed mean nothing more. */
const CONSEQUENCES = new Map<number, Consequence>([
  [410, { ...NOTHING_MORE, isFinal: true, disables: 'gone' }],
  [429, BUSY],
  // Of gateways whose server does not keep up.
  [502, BUSY],
  [503, BUSY],
  [504, BUSY],
]);

const consequenceOf = (status: number) => CONSEQUENCES.get(status) ?? NOTHING_MORE;

/** A 2xx is a success, whatever its body. Any other status, and any network failure, is not. */
export function judge({ response, error }: Exchange): Judgement {
  const { isFinal, disables, isBusy } = response ? consequenceOf(response.status) : NOTHING_MORE;
  return {
    error: response ? statusError(response.status) : error,
    isFinal,
    disables,
    retryAfter: response && isBusy ? response.headers['retry-after'] : undefined,
  };
}

/** Whether {@link judge} finds no error. */
export const isSuccess = ({ response }: Exchange) =>
  response !== null && statusError(response.status) === null;

/** How the receiver is. A 4xx refuses this one request, but proves that it is up as well as a 2xx does. */
export function verdictOn({ response }: Exchange): 'up' | 'down' | 'busy' {
  if (response === null) return 'down';
  if (consequenceOf(response.status).isBusy) return 'busy';
  return response.status < 500 ? 'up' : 'down';
}

function statusError(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) {
    return { code: 'redirect', message: `The receiver answered ${status}; redirects are not followed.` };
  }
  return { code: 'http_status', message: `The receiver answered ${status}.` };
}
