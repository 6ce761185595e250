import type { Socket } from 'node:net';
import { timedOut } from '../abortable-socket.js';
import { AttemptFailure, toFailure } from '../attempt-failure.js';

const MAX_BYTES = 8 * 1024;
const END = '\r\n\r\n';

/**
 * Reads the head of a proxy's answer, up to the blank line, and leaves the bytes after it in the socket.
 *
 * @returns the head without the blank line.
 * @throws AttemptFailure if the head does not end within 8 KiB, the socket closes, or the signal aborts. The caller
 *   destroys the socket.
 */
export function readProxyAnswer(socket: Socket, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0);
    const stop = () => {
      signal.removeEventListener('abort', abort);
      // An error without a listener would end the process.
      socket
        .on('error', () => {})
        .off('readable', take)
        .off('error', fail)
        .off('close', close);
    };
    const fail = (error: Error) => {
      stop();
      reject(toFailure(error));
    };
    const close = () => fail(new AttemptFailure('connection_reset', 'The proxy closed the connection.'));
    const abort = () => fail(timedOut());
    // `data` would put the socket into flowing mode, but its next reader expects it untouched.
    const take = () => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        read = Buffer.concat([read, chunk]);
        const end = read.indexOf(END);
        if (end !== -1 && end <= MAX_BYTES) {
          stop();
          const rest = read.subarray(end + END.length);
          if (rest.length > 0) socket.unshift(rest);
          return resolve(read.toString('latin1', 0, end));
        }
        if (read.length > MAX_BYTES) return fail(notHttp());
      }
    };
    socket.on('readable', take).on('error', fail).on('close', close);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
}

export function notHttp(): AttemptFailure {
  return new AttemptFailure('connection_refused', 'The proxy did not answer in HTTP.');
}
