import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');

describe('the document that the built service writes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-document-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['dist/service/bundle/write-openapi.cjs', 'dist/src/service/commands/write-openapi.js'])(
    'is the committed one, by %s',
    (program) => {
      const file = join(folder, 'openapi.json');
      execFileSync(process.execPath, [join(ROOT, program), file], { cwd: folder });
      expect(readFileSync(file, 'utf8')).toBe(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));
    },
  );
});
