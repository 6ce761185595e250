import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UnaskedContinue } from './unasked-continue.js';

const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n\r\n';

/** What is left of the text if it comes in pieces of these sizes. */
function turned(text: string, sizes: readonly number[] = []): string {
  const [turns, bytes] = [new UnaskedContinue(), Buffer.from(text, 'latin1')];
  turns.expectAnswer();
  let from = 0;
  for (const size of [...sizes, bytes.length]) {
    turns.turn(bytes.subarray(from, from + size));
    from += size;
  }
  return bytes.toString('latin1');
}

describe('an interim response 100', () => {
  it('becomes a 102 wherever it stands, and in whatever pieces it comes; nothing else changes', () => {
    const line = fc.constantFrom('', ' Continue', ' ', ' HTTP/1.1 100');
    const header = fc.constantFrom('', 'Via: 1.0 old\r\n', 'X-A: HTTP/1.1 100\r\n', 'X-B: \r\r\n');
    const status = fc.constantFrom('100', '102', '103', '199');
    const interim = fc.record({ version: fc.constantFrom('1.1', '1.0'), status, line, header });
    const pieces = fc.array(fc.integer({ min: 1, max: 30 }));
    fc.assert(
      fc.property(fc.array(interim), fc.constantFrom('', '\r\n', '\n'), pieces, (heads, blank, sizes) => {
        const text = (of: (status: string) => string) =>
          heads
            .map((one) => `${blank}HTTP/${one.version} ${of(one.status)}${one.line}\r\n${one.header}\r\n`)
            .join('') + FINAL;
        const was = text((one) => one);
        expect(turned(was, sizes)).toBe(text((one) => (one === '100' ? '102' : one)));
      }),
    );
  });

  it('is looked for only before the final one, whatever that is', () => {
    const behind = fc.constantFrom(FINAL, 'HTTP/1.1 100 Continue\r\n\r\n', '\r\n\r\n');
    const first = fc.oneof(fc.string({ unit: 'binary-ascii', minLength: 12 }), fc.constant('HTTP/1.1 404'));
    fc.assert(
      fc.property(first, behind, fc.array(fc.integer({ min: 1, max: 30 })), (begin, rest, sizes) => {
        fc.pre(!/^[\r\n]*(.{0,11}$|HTTP\/\d\.\d 1\d\d)/s.test(begin));
        expect(turned(begin + rest, sizes)).toBe(begin + rest);
      }),
    );
  });

  it('is nothing to a connection that expects no answer', () => {
    const bytes = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n');
    new UnaskedContinue().turn(bytes);
    expect(String(bytes)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  });
});
