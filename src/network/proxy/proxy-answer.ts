import type { Socket } from 'node:net';
import { AttemptFailure, failed, toFailure } from '../attempt-failure.js';

const MAX_BYTES = 8 * 1024;
const END = '\r\n\r\n';

/** The begin of a head that is passed over, though nobody asked for it (RFC 9110, section 15.2); 101 ends the protocol. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;

/**
 * Reads the head of a proxy's answer, up to the blank line, and leaves the bytes after it in the socket.
 *
 * @returns the head without the blank line.
 * @throws AttemptFailure if the head, with interim ones before it, does not end within 8 KiB, the socket closes, or the
 *   signal aborts. The caller destroys the socket.
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
    const abort = () => fail(failed('timeout'));
    // `data` would put the socket into flowing mode, but its next reader expects it untouched.
    const take = () => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        read = Buffer.concat([read, chunk]);
        const [begin, end] = finalHead(read);
        if (end !== -1 && end <= MAX_BYTES) {
          stop();
          const rest = read.subarray(end + END.length);
          if (rest.length > 0) socket.unshift(rest);
          return resolve(read.toString('latin1', begin, end));
        }
        if (read.length > MAX_BYTES) return fail(notHttp());
      }
    };
    socket.on('readable', take).on('error', fail).on('close', close);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
}

/** Where the head that is not an interim one begins and ends; it ends at -1 if that is not there yet. */
function finalHead(read: Buffer): [begin: number, end: number] {
  let begin = 0;
  let end = read.indexOf(END);
  while (end !== -1 && INTERIM.test(read.toString('latin1', begin, end + 1))) {
    begin = end + END.length;
    end = read.indexOf(END, begin);
  }
  return [begin, end];
}

export function notHttp(): AttemptFailure {
  return new AttemptFailure('connection_refused', 'The proxy did not answer in HTTP.');
}
