import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const pathOf = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const read = (path: string) => readFileSync(pathOf(path), 'utf8');

describe('the sources of the client', () => {
  it('have the types generated from openapi.json', () => {
    const args = [pathOf('tools/generate-client.mjs'), pathOf('openapi.json')];
    const generated = execFileSync(process.execPath, args, { encoding: 'utf8' });
    // `npm run client`, and what runs before the tests, write them.
    expect(read('client/schema.ts')).toBe(generated);
  });
});
