import { describe, expect, it } from '@jest/globals';
import { memberSource } from '../../console/data/member-source.js';

const LONG = 'x'.repeat(1_000_000);
const ESCAPED = String.raw`\"\\`.repeat(200_000);

describe('the text of a member', () => {
  it.each([
    '12345678901234567890',
    '-0.0',
    'null',
    '[ ]',
    String.raw`"a\"b"`,
    '{"body":[1,{"body":2}],"é":"}"}',
    '{"2" : 1 , "1":1.0}',
    `"${LONG}"`,
    `"${ESCAPED}"`,
    '['.repeat(64) + ']'.repeat(64),
  ])('is what is written (%#)', (value) => {
    const text = String.raw`{"a" : {"headers":{"body":"no","x":"\"body\":1"},"b\u006fdy": ${value} },"z":1}`;
    expect(memberSource(text, 'a', 'body')).toBe(value);
  });

  it.each(['', '{}', '{"b":1}', '{"a":null}', '[]'])('is undefined in %s', (text) => {
    expect(memberSource(text, 'a', 'body')).toBeUndefined();
  });
});
