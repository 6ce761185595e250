import { describe, expect, it } from '@jest/globals';
import { acceptedEncodings } from '../../../src/module/console/accepted-encodings.js';
import { leastCpuMs } from '../support/computing.js';

describe('the encodings of an Accept-Encoding header', () => {
  // Quadratic work on 300,000 characters takes a minute, so fewer would still show it.
  it.each([' ', '\t', ';', ' ;', '; ', ',', ' ,', 'q', '0', 'q=0.'])(
    'are read in linear time: %j over and over',
    async (part) => {
      const header = `gzip${part.repeat(300_000 / part.length)}x`;
      expect(await leastCpuMs(() => acceptedEncodings(header), 1000)).toBeLessThan(1000);
    },
  );
});
