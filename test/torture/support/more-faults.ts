import type { Socket } from 'node:net';
import { faults } from '../../support/faults.js';

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

/** Yields between writes, because a socket whose peer keeps up would accept them without end. */
function endlessly(socket: Socket, text: string): void {
  const fill = () => {
    if (socket.destroyed) return;
    if (socket.write(text)) setImmediate(fill);
    else socket.once('drain', fill);
  };
  fill();
}

/** Faulty answers after the request has arrived, in addition to those that all tests share. */
const more = {
  'http-0.9': (socket) => socket.end('hello\n'),
  'http-2': (socket) => socket.end(Buffer.from('000000040000000000', 'hex')),
  'no-reason-no-status': (socket) => socket.end('HTTP/1.1 \r\n\r\n'),
  'status-of-four-digits': (socket) => socket.end('HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n'),
  'negative-length': (socket) => socket.end(`${OK}Content-Length: -1\r\n\r\n`),
  'length-and-chunks': (socket) =>
    socket.end(`${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  'nul-in-header': (socket) => socket.end(`${OK}X-A: a\x00b\r\nContent-Length: 0\r\n\r\n`),
  'space-in-header-name': (socket) => socket.end(`${OK}X A: b\r\nContent-Length: 0\r\n\r\n`),
  'header-of-1-mib': (socket) => socket.end(`${OK}X-A: ${'a'.repeat(1024 * 1024)}\r\n\r\n`),
  'huge-chunk-size': (socket) => socket.end(`${CHUNKED}${'f'.repeat(32)}\r\n`),
  'endless-chunks': (socket) => {
    socket.write(CHUNKED);
    endlessly(socket, '1\r\na\r\n'.repeat(1000));
  },
  'endless-chunk-extension': (socket) => {
    socket.write(`${CHUNKED}5;a=`);
    endlessly(socket, 'a'.repeat(8192));
  },
  'endless-100': (socket) => endlessly(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
  'endless-status-line': (socket) => {
    socket.write('HTTP/1.1 200 ');
    endlessly(socket, 'a'.repeat(8192));
  },
  'endless-blank-lines': (socket) => endlessly(socket, '\r\n'.repeat(4096)),
  'reset-in-headers': (socket) => {
    socket.write(`${OK}X-Half: he`, () => setImmediate(() => socket.resetAndDestroy()));
  },
  'headers-then-silence': (socket) => socket.write(`${OK}Content-Length: 10\r\n\r\n`),
  'two-answers': (socket) =>
    socket.write(`${OK}Content-Length: 0\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n`),
  'redirect-to-itself': (socket) =>
    socket.end('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'),
  'later-than-ever': (socket) =>
    socket.end('HTTP/1.1 503 No\r\nRetry-After: 99999999999999\r\nContent-Length: 0\r\n\r\n'),
} satisfies Record<string, (socket: Socket) => unknown>;

const all = { ...faults, ...more };

/** The expected outcome of an attempt: `ok` or its error code. A flood may be cut before the deadline. */
export const outcomes: Record<keyof typeof all, string> = {
  silent: 'timeout',
  'trickle-headers': 'timeout',
  'trickle-body': 'ok',
  'endless-103': 'timeout or response_too_large',
  'endless-headers': 'response_too_large',
  'endless-body': 'ok',
  'gzip-bomb': 'ok',
  garbage: 'invalid_response',
  'dual-content-length': 'invalid_response',
  reset: 'connection_reset',
  close: 'connection_reset',
  'half-close': 'connection_reset',
  'close-in-headers': 'connection_reset',
  'switch-protocols': 'invalid_response',
  'switch-without-upgrade': 'invalid_response',
  'status-000': 'invalid_response',
  'status-999': 'invalid_response',
  'broken-chunk': 'invalid_response',
  'short-body': 'ok',
  'short-last-body': 'ok',
  'unfinished-chunks': 'ok',
  'unfinished-last-chunks': 'ok',
  'endless-trailers': 'ok',
  'reset-in-body': 'ok',
  'early-hints-then-ok': 'ok',
  'http-0.9': 'invalid_response',
  'http-2': 'invalid_response',
  'no-reason-no-status': 'invalid_response',
  'status-of-four-digits': 'invalid_response',
  'negative-length': 'invalid_response',
  'length-and-chunks': 'invalid_response',
  'nul-in-header': 'invalid_response',
  'space-in-header-name': 'invalid_response',
  'header-of-1-mib': 'response_too_large',
  'huge-chunk-size': 'invalid_response',
  'endless-chunks': 'ok',
  'endless-chunk-extension': 'ok',
  'endless-100': 'invalid_response',
  'endless-status-line': 'timeout or response_too_large',
  'endless-blank-lines': 'timeout or response_too_large',
  'reset-in-headers': 'connection_reset',
  'headers-then-silence': 'ok',
  'two-answers': 'ok',
  'redirect-to-itself': 'redirect',
  'later-than-ever': 'http_status',
};

/** @param path `/` followed by the name of the fault. */
export function fail(path: string, socket: Socket): void {
  all[path.slice(1) as keyof typeof all](socket);
}
