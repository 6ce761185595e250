import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { RESENDING, TRANSITIONS, type Transition } from './transitions.js';

const ARCHITECTURE = readFileSync(new URL('../../../ARCHITECTURE.md', import.meta.url), 'utf8');

/** What a condition says is told in words. */
const row = ([name, { from, to, where, isMissed }]: [string, Transition]) =>
  new RegExp(
    `^\\| \`${name}\` \\| ${from.join(', ')} \\| ${to} \\| ${where ? '[^|]+' : ''} \\| ${isMissed ? 'yes' : ''} \\| \\S`,
    'm',
  );

describe('the transitions of a trigger', () => {
  it.each(Object.entries({ ...TRANSITIONS, ...RESENDING }))(
    'are in ARCHITECTURE.md as they are in the code: %s',
    (...transition) => {
      expect(ARCHITECTURE).toMatch(row(transition));
    },
  );
});
