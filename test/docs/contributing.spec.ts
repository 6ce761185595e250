import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Matches the imports and commands of specs that start the built service. */
const NEEDS_BUILD = /support\/process\.js'|host-process\.mjs|\bdist\/(?:service|src)\b/;

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

  it('lists the specs that need a build', () => {
    const specs = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.spec.ts') && file !== 'docs/contributing.spec.ts')
      .map((file) => `test/${file}`);
    const listed = [...text.matchAll(/^- `(test\/.*\.spec\.ts)`$/gm)].map(([, file]) => file as string);
    expect(listed).toEqual(specs.filter((file) => NEEDS_BUILD.test(read(file))).sort());
  });
});
