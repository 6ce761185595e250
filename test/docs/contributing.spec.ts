import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

describe('CONTRIBUTING.md', () => {
  const text = read('CONTRIBUTING.md');

  it('names files that exist', () => {
    const quoted = [...text.matchAll(/`([\w./-]+\/[\w./-]*|[\w.-]+\.(?:md|json|yml|ts)|\.env\.example)`/g)];
    const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)];
    const ran = [...text.matchAll(/-- ((?:src|test)\/[\w./-]+)/g)];
    const files = [...quoted, ...linked, ...ran].map(([, file]) => file as string);
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name as string);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
