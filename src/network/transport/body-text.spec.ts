import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bodyText } from './body-text.js';

describe('the text of a body', () => {
  it.each([
    [[0x4d, 0xfc, 0x80], 'text/html; charset=iso-8859-1', 'Mü€'],
    [[0x4d, 0xfc, 0x80], 'text/html;CHARSET="Windows-1252";x=y', 'Mü€'],
    [[0x93, 0xfa, 0x96, 0x7b], 'text/plain; charset=Shift_JIS', '日本'],
    [[0xff, 0xfe, 0x41, 0x00], 'text/plain; charset=utf-16', 'A'],
    [[0xc3, 0xbc], 'application/json', 'ü'],
    [[0xc3, 0xbc], undefined, 'ü'],
    [[0xc3, 0xbc], 'text/plain; charset=klingon', 'ü'],
    [[0xc3, 0xbc], 'text/plain; charset=', 'ü'],
    [[0xc3, 0xbc], 'text/plain; charset=""', 'ü'],
    // It decodes to nothing but an error.
    [[0xc3, 0xbc], 'text/plain; charset=iso-2022-kr', 'ü'],
    [[], 'text/plain; charset=utf-16', ''],
  ])('%j of %s is %s', (bytes, type, text) => {
    expect(bodyText(Buffer.from(bytes), type, false)).toBe(text);
  });

  it('has no half character where it was cut, and all that is whole', () => {
    const encoded = fc.constantFrom<[BufferEncoding, string | undefined]>(
      ['utf8', undefined],
      ['utf8', 'text/plain; charset=utf-8'],
      ['utf16le', 'text/plain; charset=utf-16le'],
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), encoded, fc.nat(), (text, [encoding, type], at) => {
        const whole = Buffer.from(text, encoding);
        const part = whole.subarray(0, at % (whole.length + 1));
        const cut = bodyText(part, type, true);
        expect(text.startsWith(cut)).toBe(true);
        expect(part.length - Buffer.byteLength(cut, encoding)).toBeLessThan(4);
      }),
    );
  });
});
