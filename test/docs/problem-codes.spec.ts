import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { problemCodes } from './problem-codes.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8');

describe('the codes of problems that docs/errors.md explains', () => {
  const explained = [...PAGE.matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)].map(
    ([, code, status]) => `${status} ${code}`,
  );
  const { found: codes, unknown } = problemCodes();

  it('are all that there are, each once, with its status', () => {
    expect(codes.length).toBeGreaterThan(40);
    expect(explained.toSorted()).toEqual(codes);
  });

  it('are written where a problem is made, but for those that stand for a status', () => {
    expect(unknown).toEqual([
      'src/platform/problem.ts',
      'src/rest/problem.filter.ts',
      'src/rest/problem.filter.ts',
    ]);
  });
});
