import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** Pause between two bytes of a trickle, in milliseconds: far below any test deadline, which the whole trickle exceeds. */
const TRICKLE_MS = 50;
/** Compressed in advance: on a busy machine, compressing it within the attempt's deadline may take too long. */
const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024), { level: 1 });
const OK = 'HTTP/1.1 200 OK\r\n';

/** Faulty responses: each writes to the raw socket once the request has arrived. */
export const faults = {
  /** Accepts and reads, but never answers. */
  silent: () => {},
  /** Sends its headers a byte at a time and never finishes them. */
  'trickle-headers': (socket) => repeat(socket, OK + 'X-A: '.padEnd(4000, 'a'), 1, TRICKLE_MS),
  /** Sends its body a byte at a time. */
  'trickle-body': (socket) => {
    socket.write(`${OK}Content-Length: 100000\r\n\r\n`);
    repeat(socket, 'b', 1, TRICKLE_MS);
  },
  /** Sends interim responses endlessly. */
  'endless-103': (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'),
  'endless-headers': (socket) => {
    socket.write(OK);
    flood(socket, `X-Filler: ${'x'.repeat(1000)}\r\n`);
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
  garbage: (socket) => socket.end('\x00\x01 this is not HTTP \xff\r\n\r\n'),
  'dual-content-length': (socket) => socket.end(`${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`),
  /** Sends RST before any byte. */
  reset: (socket) => socket.resetAndDestroy(),
  /** Closes both directions before any byte. */
  close: (socket) => socket.destroy(),
  /** Closes its sending direction before any byte and keeps reading. */
  'half-close': (socket) => socket.end(),
  'close-in-headers': (socket) => socket.end(`${OK}X-Half: he`),
  'switch-protocols': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  'switch-without-upgrade': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  'status-000': (socket) => socket.end('HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n'),
  'status-999': (socket) => socket.end('HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n'),
  /** Sends valid headers, then a chunk without a size. */
  'broken-chunk': (socket) => {
    socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
    socket.write('not a size\r\n');
  },
  /** Announces a longer body than it sends, then FIN. */
  'short-body': (socket) => socket.end(`${OK}Content-Length: 100\r\n\r\nhello`),
  /** The same with `Connection: close`. */
  'short-last-body': (socket) => socket.end(`${OK}Connection: close\r\nContent-Length: 100\r\n\r\nhello`),
  /** Ends a chunked body without the last chunk. */
  'unfinished-chunks': (socket) => socket.end(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`),
  'unfinished-last-chunks': (socket) =>
    socket.end(`${OK}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`),
  /** Sends a complete body, then endless trailers. */
  'endless-trailers': (socket) => {
    socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n`);
    flood(socket, `X-Filler: ${'x'.repeat(1000)}\r\n`);
  },
  /** Announces a longer body than it sends, then RST. */
  'reset-in-body': (socket) => {
    socket.write(`${OK}Content-Length: 100\r\n\r\nhello`, () => setImmediate(() => socket.resetAndDestroy()));
  },
  'early-hints-then-ok': (socket) =>
    socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${OK}Content-Length: 2\r\n\r\nok`),
} satisfies Record<string, (socket: Socket) => unknown>;

export type FaultName = keyof typeof faults;

/** Writes as fast as the peer reads, until the peer disconnects. */
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
