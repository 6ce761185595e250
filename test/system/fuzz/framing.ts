import fc from 'fast-check';

/** Bytes for a new connection. If they are contradictory, the only right answer is a refusal. */
export interface Framing {
  text: string;
  isContradictory: boolean;
}

const NEXT = 'GET /health/live HTTP/1.1\r\nHost: smuggled\r\n\r\n';
const BODY = '{"id":"0199aa2e-7d5c-7c3e-9d0b-0c7e5a1f3b42"}';

/** Request smuggling: servers that read these differently disagree on where the request ends. */
const CONTRADICTORY = [
  'Content-Length: 45\r\nContent-Length: 46',
  'Content-Length: 45\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 0',
  'Content-Length: -1',
  'Content-Length: +45',
  'Content-Length: 0x2d',
  'Content-Length: 45, 45',
  'Content-Length: 4 5',
  'Content-Length: 99999999999999999999999',
  'Content-Length : 45',
  'Content-Length: 45\u0000',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: xchunked',
  'Transfer-Encoding: \u000bchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: identity\r\nContent-Length: 45',
  'X: a\rTransfer-Encoding: chunked',
];
const ODD_CHUNKS = [
  'zz\r\n',
  'FFFFFFFFFFFFFFFFF\r\nx\r\n',
  '2d;=\u0000\r\n',
  `2d;${'e'.repeat(20_000)}\r\n`,
  `2d\r\n${BODY}X\r\n0\r\n\r\n`,
  `2d\n${BODY}\n0\n\n`,
  `0\r\nContent-Length: 5\r\nX: \u0000\r\n\r\n`,
  `0\r\n${'X: y\r\n'.repeat(5000)}\r\n`,
  '',
];
const ODD_LINES = [
  'GET /health/live',
  'GET /health/live HTTP/0.9',
  'GET /health/live HTTP/1.0',
  'GET /health/live HTTP/2.0',
  '\r\nGET /health/live HTTP/1.1',
  'GET health/live HTTP/1.1',
  'GET * HTTP/1.1',
  'PRI * HTTP/2.0\r\n\r\nSM',
  'CONNECT 127.0.0.1:22 HTTP/1.1',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000',
  `GET /${'a'.repeat(100_000)} HTTP/1.1`,
];
const ODD_HEADERS = [
  'Host: a\r\nHost: b',
  'X: y\r\n folded: z',
  'X: y\nZ: z',
  ': empty',
  'X(Y): z',
  'X: y\r\n'.repeat(3000),
  `X: ${'y'.repeat(100_000)}`,
  'Expect: nothing',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
];

const post = (framing: string, rest: string) =>
  `POST /v1/webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}\r\n\r\n${rest}`;

/** Truncates the text, or inserts a byte that may be invalid there. */
const damaged = (texts: fc.Arbitrary<string>) =>
  fc
    .tuple(texts, fc.integer({ min: 0, max: 100 }), fc.constantFrom('', '\u0000', '\u00ff', '\r', '\n', ' '))
    .map(([text, percent, piece]) => {
      const at = Math.floor((text.length * percent) / 100);
      return text.slice(0, at) + piece + (piece ? text.slice(at) : '');
    });

const contradictory = fc
  .constantFrom(...CONTRADICTORY)
  .map((framing) => ({ text: post(framing, BODY + NEXT), isContradictory: true }));

const odd = fc.oneof(
  fc.constantFrom(...ODD_CHUNKS).map((chunks) => post('Transfer-Encoding: chunked', chunks + NEXT)),
  fc.constantFrom(...ODD_LINES).map((line) => `${line}\r\nHost: x\r\nConnection: close\r\n\r\n`),
  fc
    .constantFrom(...ODD_HEADERS)
    .map((header) => `GET /health/live HTTP/1.1\r\n${header}\r\nConnection: close\r\n\r\n`),
);

export const anyFraming: fc.Arbitrary<Framing> = fc.oneof(
  contradictory,
  fc
    .oneof(
      odd,
      damaged(fc.oneof(odd, fc.constant(post(`Content-Length: ${BODY.length}`, BODY)), fc.constant(NEXT))),
    )
    .map((text) => ({ text, isContradictory: false })),
);
