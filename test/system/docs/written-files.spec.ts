import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(path, 'utf8');

describe('what programs write for the repository', () => {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-document-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['dist/service/bundle/write-openapi.cjs', 'dist/src/service/commands/write-openapi.js'])(
    'is the committed document, by %s',
    (program) => {
      const file = join(folder, 'openapi.json');
      execFileSync(process.execPath, [join(ROOT, program), file], { cwd: folder });
      expect(read(file)).toBe(read(join(ROOT, 'openapi.json')));
    },
  );

  it('is, as types of the client, what the document describes', () => {
    const args = [join(ROOT, 'tools/generate-client.mjs'), join(ROOT, 'openapi.json')];
    // `npm run client`, and what runs before the tests, write them.
    expect(read(join(ROOT, 'client/schema.ts'))).toBe(execFileSync(process.execPath, args).toString());
  });
});
