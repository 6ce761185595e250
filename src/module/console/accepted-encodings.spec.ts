import { describe, expect, it } from '@jest/globals';
import { acceptedEncodings } from './accepted-encodings.js';

describe('the encodings of an Accept-Encoding header', () => {
  it.each([
    ['gzip, br', ['gzip', 'br']],
    ['GZIP ; q=0.5 ,\tbr;q=1', ['gzip', 'br']],
    ['gzip;q=0, br ; q=0.000, deflate ;x', ['deflate']],
    ['', ['']],
  ])('of %j are %j', (header, encodings) => {
    expect(acceptedEncodings(header)).toEqual(encodings);
  });
});
