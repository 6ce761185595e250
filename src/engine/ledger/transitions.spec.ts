import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { RESENDING, TRANSITIONS, type Transition } from './transitions.js';

const ARCHITECTURE = readFileSync(new URL('../../../ARCHITECTURE.md', import.meta.url), 'utf8');

const row = ([name, { from, to, isMissed }]: [string, Transition]) =>
  `| \`${name}\` | ${from.join(', ')} | ${to} | ${isMissed ? 'yes' : ''} |`;

describe('the transitions of a trigger', () => {
  it.each(Object.entries({ ...TRANSITIONS, ...RESENDING }))(
    'are in ARCHITECTURE.md as they are in the code: %s',
    (...transition) => {
      expect(ARCHITECTURE).toContain(row(transition));
    },
  );
});
