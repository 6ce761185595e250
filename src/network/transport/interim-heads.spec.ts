import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InterimHeads } from './interim-heads.js';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n\r\n';
const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\n';

const sizes = fc.array(fc.integer({ min: 1, max: 30 }));

/** What is left of the text if it comes in pieces of these sizes. */
function left(sent: string, pieces: readonly number[], heads = expecting()): string {
  const bytes = Buffer.from(sent, 'latin1');
  let from = 0;
  let text = '';
  for (const size of [...pieces, bytes.length]) {
    text += Buffer.from(heads.without(bytes.subarray(from, from + size))).toString('latin1');
    from += size;
  }
  return text;
}

function expecting(): InterimHeads {
  const heads = new InterimHeads();
  heads.expectAnswer();
  return heads;
}

describe('interim heads before an answer', () => {
  it('are taken out, in whatever pieces they come, and nothing else is', () => {
    const line = fc.constantFrom('', ' Continue', ' ', ' HTTP/1.1 100');
    const header = fc.constantFrom('', 'Connection: close\r\n', 'X-A: HTTP/1.1 200\r\n', 'X-B: \r\r\n');
    const status = fc.constantFrom('100', '102', '103', '199');
    const interim = fc
      .tuple(fc.constantFrom('1.1', '1.0'), status, line, header, fc.constantFrom('', '\r\n', '\n'))
      .map(([version, code, text, more, blank]) => `${blank}HTTP/${version} ${code}${text}\r\n${more}\r\n`);
    fc.assert(
      fc.property(fc.array(interim), sizes, (heads, pieces) => {
        expect(left(heads.join('') + ANSWER, pieces)).toBe(ANSWER);
      }),
    );
  });

  it('are looked for only there: whatever else comes is left as it is', () => {
    const behind = fc.constantFrom(ANSWER, INTERIM, '\r\n\r\n');
    const begin = fc.oneof(
      fc.string({ unit: 'binary-ascii', minLength: 1 }),
      fc.constantFrom(
        'HTTP/1.1 404',
        'HTTP/1.1 101 Switching',
        'HTTP/1.1 10x',
        'HTTP/1.1 1000 X',
        'HTTP/1.1 100x',
        'HTTP/1.1 1 ',
        'HTTX',
        'HTTP/2',
      ),
    );
    fc.assert(
      fc.property(begin, behind, sizes, (first, rest, pieces) => {
        fc.pre(!/^[\r\n]/.test(first) && !'HTTP/1.1 1'.startsWith(first));
        fc.pre(!/^HTTP\/\d\.\d 1(?!01)\d\d(?:[ \r\n]|$)/.test(first));
        expect(left(first + rest, pieces)).toBe(first + rest);
      }),
    );
  });

  it('are looked for again when the next answer is expected, whatever came of the one before', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', 'HTTP/1', INTERIM, 'HTTP/1.1 100 Conti', ANSWER),
        sizes,
        (before, pieces) => {
          const heads = expecting();
          left(before, pieces, heads);
          heads.expectAnswer();
          expect(left(INTERIM + ANSWER, pieces, heads)).toBe(ANSWER);
        },
      ),
    );
  });

  it('are left on a connection that expects no answer', () => {
    expect(left(INTERIM, [], new InterimHeads())).toBe(INTERIM);
  });
});
