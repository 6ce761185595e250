import type { Socket } from 'node:net';
import { failed } from './attempt-failure.js';

/**
 * Waits until the socket is open; destroys it if that fails or the signal aborts.
 *
 * @param explain turns the socket's error into the one to throw.
 * @throws AttemptFailure `timeout` when aborted, `connection_reset` when closed, or the explained error.
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
      // An error event without a listener would end the process, and may come before the caller adds its own.
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
    const abort = () => settle(failed('timeout'));
    socket.on(event, succeed).on('error', fail).on('close', close);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
}

/** Stops waiting for work that cannot be cancelled, such as a DNS query, when the signal aborts. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(failed('timeout'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
