import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { DECLARED } from '../../src/engine/webhook/webhook-settings.js';
import { snakeKeys } from '../../src/rest/camel.js';

const page = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');
const DEFAULTS = { timeoutMs: 1000, retryScheduleMs: [1000], webhookConcurrency: 1 };

/** Bounds as the page writes them: of a list, those of its entries. */
function boundsOf({ schema }: (typeof DECLARED)[keyof typeof DECLARED]) {
  const { items, ...whole } = z.toJSONSchema(schema({ schedule: () => null }), { io: 'input' });
  const { minimum, maximum } = (items ?? whole) as { minimum?: number; maximum?: number };
  return [minimum, maximum].map((bound) => bound ?? null);
}

it('the page on settings has a row for each, with its bounds and its default', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \|.*\| ([^|]*)\| ([^|]*)\| ([^|]*)\|$/gm)];
  const bound = (cell = '') => (cell.trim() === '' ? null : Number(cell.replace(/,| each/g, '')));
  expect(rows.map(([, name, from, to]) => [name, bound(from), bound(to)])).toEqual(
    Object.entries(snakeKeys(DECLARED)).map(([name, declared]) => [name, ...boundsOf(declared)]),
  );
  const fixed = Object.values(DECLARED).map(({ standard }) => standard?.(DEFAULTS) ?? null);
  for (const [index, [, , , , cell = '']] of rows.entries()) {
    const word = /^`([a-z]+)`/.exec(cell)?.[1];
    if (word) expect(`${fixed[index]}`).toBe(word);
    if (cell.trim() === 'no limit') expect(fixed[index]).toBeNull();
  }
});
