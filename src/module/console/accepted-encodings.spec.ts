import { describe, expect, it } from '@jest/globals';
import { cpuMs } from '../../../test/support/longest-block.js';
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

  // Quadratic work on 300,000 characters takes a minute, so fewer would still show it.
  it.each([' ', '\t', ';', ' ;', '; ', ',', ' ,', 'q', '0', 'q=0.'])(
    'are read in linear time: %j over and over',
    (part) => {
      const header = `gzip${part.repeat(300_000 / part.length)}x`;
      const begin = cpuMs();
      acceptedEncodings(header);
      expect(cpuMs() - begin).toBeLessThan(1000);
    },
  );
});
