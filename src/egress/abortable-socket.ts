import type { Socket } from 'node:net';
import { type AttemptFailure, failed } from './attempt-failure.js';

/**
 * Waits for the socket's event, or destroys it.
 *
 * @param explain makes the error to throw from the socket's own.
 */
export function untilOpen(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  explain: (error: NodeJS.ErrnoException) => Error,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      signal.removeEventListener('abort', abort);
      // An error without a listener would end the process, and one may come before the caller has its own.
      socket
        .on('error', () => {})
        .off(event, succeed)
        .off('error', fail)
        .off('close', close);
      if (error === undefined) return resolve();
      socket.destroy();
      reject(error);
    };
    const succeed = () => settle();
    const fail = (error: Error) => settle(explain(error));
    const close = () => settle(failed('connection_reset'));
    const abort = () => settle(timedOut());
    socket.on(event, succeed).on('error', fail).on('close', close);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
}

/** Waits for work that cannot be cancelled, as a DNS query, no longer than the signal allows. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(timedOut());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export function timedOut(): AttemptFailure {
  return failed('timeout');
}
