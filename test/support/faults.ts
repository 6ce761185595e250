import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** Pause between two bytes of a trickle, in milliseconds: far below any test deadline, which the whole trickle exceeds. */
const TRICKLE_MS = 50;
/** Compressed in advance: on a busy machine, compressing it within the attempt's deadline may take too long. */
const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024), { level: 1 });
const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

/** Faulty responses by the outcome of an attempt at them: each writes to the raw socket once the request has arrived. */
const byOutcome = {
  timeout: {
    /** Accepts and reads, but never answers. */
    silent: () => {},
    /** Sends its headers a byte at a time and never finishes them. */
    'trickle-headers': (socket) => repeat(socket, OK + 'X-A: '.padEnd(4000, 'a'), 1, TRICKLE_MS),
  },
  /** A flood may be cut before the deadline. */
  'timeout or response_too_large': {
    /** Sends interim responses endlessly. */
    'endless-103': (socket) =>
      flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'),
    /** Of the interim response that has an event of its own in Node, and none in undici. */
    'endless-100': (socket) => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
    'endless-status-line': (socket) => {
      socket.write('HTTP/1.1 200 ');
      flood(socket, 'a');
    },
    'endless-blank-lines': (socket) => flood(socket, '\r\n'),
  },
  response_too_large: {
    'endless-headers': (socket) => {
      socket.write(OK);
      flood(socket, `X-Filler: ${'x'.repeat(1000)}\r\n`);
    },
    'header-of-1-mib': (socket) => socket.end(`${OK}X-A: ${'a'.repeat(1024 * 1024)}\r\n\r\n`),
  },
  invalid_response: {
    garbage: (socket) => socket.end('\x00\x01 this is not HTTP \xff\r\n\r\n'),
    'dual-content-length': (socket) => socket.end(`${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`),
    'switch-protocols': (socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    'switch-without-upgrade': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
    'status-000': (socket) => socket.end('HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n'),
    'status-999': (socket) => socket.end('HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n'),
    /** Sends valid headers, then a chunk without a size. */
    'broken-chunk': (socket) => {
      socket.write(`${CHUNKED}5\r\nhello\r\n`);
      socket.write('not a size\r\n');
    },
    'http-0.9': (socket) => socket.end('hello\n'),
    'http-2': (socket) => socket.end(Buffer.from('000000040000000000', 'hex')),
    'no-reason-no-status': (socket) => socket.end('HTTP/1.1 \r\n\r\n'),
    'status-of-four-digits': (socket) => socket.end('HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n'),
    'negative-length': (socket) => socket.end(`${OK}Content-Length: -1\r\n\r\n`),
    'length-and-chunks': (socket) =>
      socket.end(`${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    'nul-in-header': (socket) => socket.end(`${OK}X-A: a\x00b\r\nContent-Length: 0\r\n\r\n`),
    'space-in-header-name': (socket) => socket.end(`${OK}X A: b\r\nContent-Length: 0\r\n\r\n`),
    'huge-chunk-size': (socket) => socket.end(`${CHUNKED}${'f'.repeat(32)}\r\n`),
  },
  connection_reset: {
    /** Sends RST before any byte. */
    reset: (socket) => socket.resetAndDestroy(),
    /** Closes both directions before any byte. */
    close: (socket) => socket.destroy(),
    /** Closes its sending direction before any byte and keeps reading. */
    'half-close': (socket) => socket.end(),
    'close-in-headers': (socket) => socket.end(`${OK}X-Half: he`),
    'reset-in-headers': (socket) =>
      socket.write(`${OK}X-Half: he`, () => setImmediate(() => socket.resetAndDestroy())),
  },
  redirect: {
    'redirect-to-itself': (socket) =>
      socket.end('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'),
  },
  http_status: {
    'later-than-ever': (socket) =>
      socket.end('HTTP/1.1 503 No\r\nRetry-After: 99999999999999\r\nContent-Length: 0\r\n\r\n'),
  },
  ok: {
    /** Sends its body a byte at a time. */
    'trickle-body': (socket) => {
      socket.write(`${OK}Content-Length: 100000\r\n\r\n`);
      repeat(socket, 'b', 1, TRICKLE_MS);
    },
    'endless-body': (socket) => {
      socket.write(`${OK}Content-Type: text/plain\r\n\r\n`);
      flood(socket, 'body '.repeat(200));
    },
    /** A small body that decompresses to 16 MiB. */
    'gzip-bomb': (socket) => {
      socket.write(`${OK}Content-Encoding: gzip\r\nConnection: close\r\n\r\n`);
      socket.end(bomb);
    },
    /** Announces a longer body than it sends, then FIN. */
    'short-body': (socket) => socket.end(`${OK}Content-Length: 100\r\n\r\nhello`),
    /** The same with `Connection: close`. */
    'short-last-body': (socket) => socket.end(`${OK}Connection: close\r\nContent-Length: 100\r\n\r\nhello`),
    'headers-then-silence': (socket) => socket.write(`${OK}Content-Length: 10\r\n\r\n`),
    /** Ends a chunked body without the last chunk. */
    'unfinished-chunks': (socket) => socket.end(`${CHUNKED}5\r\nhello\r\n`),
    'unfinished-last-chunks': (socket) =>
      socket.end(`${OK}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`),
    'endless-chunks': (socket) => {
      socket.write(CHUNKED);
      flood(socket, '1\r\na\r\n');
    },
    'endless-chunk-extension': (socket) => {
      socket.write(`${CHUNKED}5;a=`);
      flood(socket, 'a');
    },
    /** Sends a complete body, then endless trailers. */
    'endless-trailers': (socket) => {
      socket.write(`${CHUNKED}5\r\nhello\r\n0\r\n`);
      flood(socket, `X-Filler: ${'x'.repeat(1000)}\r\n`);
    },
    /** Announces a longer body than it sends, then RST. */
    'reset-in-body': (socket) =>
      socket.write(`${OK}Content-Length: 100\r\n\r\nhello`, () =>
        setImmediate(() => socket.resetAndDestroy()),
      ),
    'early-hints-then-ok': (socket) =>
      socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${OK}Content-Length: 2\r\n\r\nok`),
    'unasked-100-then-ok': (socket) => {
      socket.write('HTTP/1.1 100 Continue\r\nVia: 1.0 old\r\n\r\nHTTP/1.1 10');
      setImmediate(() => socket.write(`0 \r\n\r\n${OK}Content-Length: 2\r\n\r\nok`));
    },
    'unasked-100-of-http-1.0-then-ok': (socket) =>
      socket.write(`HTTP/1.0 100 Continue\r\n\r\n${OK}Content-Length: 2\r\n\r\nok`),
    'two-answers': (socket) =>
      socket.write(`${OK}Content-Length: 0\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n`),
  },
} satisfies Record<string, Record<string, (socket: Socket) => unknown>>;

type NamesIn<T> = T extends unknown ? keyof T : never;
export type FaultName = NamesIn<(typeof byOutcome)[keyof typeof byOutcome]>;

export const faults: Record<FaultName, (socket: Socket) => unknown> = Object.assign(
  {},
  ...Object.values(byOutcome),
);

/** The outcome of an attempt at each: `ok`, or its error code. */
export const outcomes = Object.entries(byOutcome).flatMap(([outcome, those]) =>
  Object.keys(those).map((name): [outcome: string, name: FaultName] => [outcome, name as FaultName]),
);

/** Writes as fast as the peer reads, until the peer disconnects. Yields: a peer that keeps up would be written to without end. */
function flood(socket: Socket, text: string): void {
  const chunk = text.repeat(Math.ceil(8192 / text.length));
  const fill = () => {
    if (socket.destroyed) return;
    if (socket.write(chunk)) setImmediate(fill);
    else socket.once('drain', fill);
  };
  fill();
}

function repeat(socket: Socket, text: string, size: number, everyMs: number): void {
  let at = 0;
  const timer = setInterval(() => {
    socket.write(text.slice(at % text.length, (at % text.length) + size));
    at += size;
  }, everyMs);
  socket.once('close', () => clearInterval(timer));
}
