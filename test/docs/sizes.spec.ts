import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const SOURCES = join(import.meta.dirname, '../../src');

const sources = readdirSync(SOURCES, { recursive: true, withFileTypes: true }).filter(
  ({ name }) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
);

it('no source file has more than 250 lines', () => {
  const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').length - 1;
  const paths = sources.map(({ parentPath, name }) => join(parentPath, name));
  expect(paths.length).toBeGreaterThan(500);
  expect(paths.filter((path) => linesOf(path) > 250)).toEqual([]);
});

it('no folder has more than 20 source files', () => {
  const count = new Map<string, number>();
  for (const { parentPath } of sources) count.set(parentPath, (count.get(parentPath) ?? 0) + 1);
  expect([...count].filter(([, files]) => files > 20)).toEqual([]);
});
