import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { DECLARED } from '../../src/engine/webhook/webhook-settings.js';
import { snakeKeys } from '../../src/rest/camel.js';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

describe('the documents', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(ROOT, 'docs'))]
    .filter((name) => name.endsWith('.md'))
    .map((name) => (existsSync(join(ROOT, name)) ? name : `docs/${name}`));

  it.each(documents)('name npm scripts that exist: %s', (document) => {
    const { scripts } = JSON.parse(read('package.json'));
    expect(matches(read(document), /npm run ([\w:-]+)/g).filter((name) => !(name in scripts))).toEqual([]);
  });

  it.each([
    ['README.md', 1500],
    ['ARCHITECTURE.md', 1800],
  ])('can be read in one sitting: %s', (document, words) => {
    expect(read(document).trim().split(/\s+/).length).toBeLessThanOrEqual(words);
  });

  it('name the oldest Node that can install and start the service, as package.json does', () => {
    const { engines } = JSON.parse(read('package.json'));
    expect(matches(read('README.md'), /Node (\S+) or newer/g).map((oldest) => `>=${oldest}`)).toEqual([
      engines.node,
    ]);
  });

  it('link to files and headings that exist', () => {
    const pages = globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules', 'dist*'] });
    expect(pages.length).toBeGreaterThan(50);
    const broken = pages.flatMap((page) =>
      matches(read(page), /\]\((?!\w+:)([^)\s]+)\)/g)
        .filter((link) => !isThere(page, link))
        .map((link) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  function isThere(page: string, link: string): boolean {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, target))) return false;
    return (
      anchor === undefined ||
      matches(read(target), /^#+ (.*)$/gm)
        .map(anchorOf)
        .includes(anchor)
    );
  }

  /** As GitHub names a heading. */
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');

  it('name files that exist, where they say how to contribute', () => {
    const text = read('CONTRIBUTING.md');
    const files = [
      ...matches(text, /`([\w./-]+\/[\w./-]*|[\w.-]+\.(?:md|json|yml|ts)|\.env\.example)`/g),
      ...matches(text, /\]\((?!https?:)([^)#]+)\)/g),
      ...matches(text, /-- ((?:src|test)\/[\w./-]+)/g),
    ];
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('name specs that exist, where they say what proves a promise', () => {
    const specs = matches(read('SECURITY.md'), /`((?:src|test)\/[\w./-]+)`/g);
    expect(specs.length).toBeGreaterThan(20);
    expect(specs.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('have a row for each setting of a webhook, with its bounds and its default', () => {
    const rows = [
      ...read('docs/settings.md').matchAll(/^\| `(\w+)` \|.*\| ([^|]*)\| ([^|]*)\| ([^|]*)\|$/gm),
    ];
    const bound = (cell = '') => (cell.trim() === '' ? null : Number(cell.replace(/,| each/g, '')));
    expect(rows.map(([, name, from, to]) => [name, bound(from), bound(to)])).toEqual(
      Object.entries(snakeKeys(DECLARED)).map(([name, declared]) => [name, ...boundsOf(declared)]),
    );
    const defaults = { timeoutMs: 1000, retryScheduleMs: [1000], webhookConcurrency: 1 };
    const fixed = Object.values(DECLARED).map(({ standard }) => standard?.(defaults) ?? null);
    for (const [index, [, , , , cell = '']] of rows.entries()) {
      const word = /^`([a-z]+)`/.exec(cell)?.[1];
      if (word) expect(`${fixed[index]}`).toBe(word);
      if (cell.trim() === 'no limit') expect(fixed[index]).toBeNull();
    }
  });

  /** Bounds as the page writes them: of a list, those of its entries. */
  function boundsOf({ schema }: (typeof DECLARED)[keyof typeof DECLARED]) {
    const { items, ...whole } = z.toJSONSchema(schema({ schedule: () => null }), { io: 'input' });
    const { minimum, maximum } = (items ?? whole) as { minimum?: number; maximum?: number };
    return [minimum, maximum].map((bound) => bound ?? null);
  }
});

describe('the sources', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true }).filter(
    ({ name }) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
  );

  it('have at most 250 lines a file', () => {
    const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').length - 1;
    const paths = sources.map(({ parentPath, name }) => join(parentPath, name));
    expect(paths.length).toBeGreaterThan(500);
    expect(paths.filter((path) => linesOf(path) > 250)).toEqual([]);
  });

  it('have at most 20 files a folder', () => {
    const folders = Object.groupBy(sources, ({ parentPath }) => parentPath);
    const large = Object.entries(folders).filter(([, files = []]) => files.length > 20);
    expect(large.map(([folder]) => folder)).toEqual([]);
  });

  it('begin no comment of a declaration with a word that stands for a subject elsewhere', () => {
    const withoutSubject = /\/\*\*[\s*]*(Those|Of|As|Like|Not|They|So|That)\b.*/g;
    const found = sources.flatMap(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [...readFileSync(path, 'utf8').matchAll(withoutSubject)].map(([text]) => `${path}: ${text}`);
    });
    expect(found).toEqual([]);
  });

  it('write JSON by platform/json, which nothing that a host has patched changes', () => {
    // Of these the first two run without a host, and the other two write what is the host's.
    const own = /src\/(service|platform\/config|platform\/json|module\/testing)\//;
    const others = sources
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => !own.test(path) && readFileSync(path, 'utf8').includes('JSON.stringify('));
    expect(others).toEqual([]);
  });
});

it('the faults that the tests are to notice can all be planted', () => {
  const faults: { name: string; file: string; find: string; tests: string[] }[] = JSON.parse(
    read('tools/faults.json'),
  );
  expect(faults.length).toBeGreaterThanOrEqual(40);
  const stale = faults.filter(
    ({ file, find, tests }) =>
      read(file).split(find).length !== 2 || tests.some((test) => !existsSync(join(ROOT, test))),
  );
  expect(stale.map(({ name }) => name)).toEqual([]);
});
