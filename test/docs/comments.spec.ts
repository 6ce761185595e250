import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
/** A sentence that begins like this has no subject, or one that stands in another comment. */
const WITHOUT_SUBJECT = /\/\*\*[\s*]*(Those|Of|As|Like|Not|They|So|That)\b.*/g;

it('comments of declarations say what they are about', () => {
  const files = globSync('src/**/*.ts', { cwd: ROOT });
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(WITHOUT_SUBJECT)].map(([text]) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});
