import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { BlockFolder, blocksOf, type DocBlock } from '../../docs/doc-blocks.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';

const ROOT = join(import.meta.dirname, '../../..');
const TIMEOUT_MS = 300_000;

const [useBlock, urlBlock] = blocksOf('docs/testing.md').filter(({ code }) =>
  code.includes('createTestDatabase('),
) as [DocBlock, DocBlock];

/** Makes the tests of two files run at the same time: each waits until the other is as far. */
const together = (own: string, other: string) => `
import { existsSync as isThere, writeFileSync as write } from 'node:fs';
const meet = async (where) => {
  write(new URL('${own}-' + where, import.meta.url), '');
  const end = Date.now() + 60_000;
  while (!isThere(new URL('${other}-' + where, import.meta.url))) {
    if (Date.now() > end) throw new Error('The other file is not there.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
beforeEach(() => meet('begin'));
afterAll(() => meet('end'));
`;

/** A test of the block that imports AppModule late. */
const urlTest = `
import { expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { mockWebhooks } from 'webhook-notification-service/testing';
it('is where the URL says', async () => {
  const builder = Test.createTestingModule({ imports: [AppModule] });
  mockWebhooks(builder);
  const app = await builder.compile();
  await app.init();
  const [{ name }] = await app.get(DataSource).query('SELECT DATABASE() AS name');
  expect(name).toMatch(/^whtest_/);
  await app.close();
  await database.drop();
});
`;

/** Runs test files in Jest, two at a time, and counts tests. @param url for DATABASE_URL */
async function runJest(files: Record<string, string>, url: string) {
  const folder = new BlockFolder();
  for (const [name, code] of Object.entries(files)) folder.write(name, code);
  const settings = JSON.stringify({ rootDir: ROOT, roots: [folder.path], testTimeout: 60_000 });
  const config = folder.write(
    'jest.config.mjs',
    `import config from '${ROOT}/jest.config.mjs';\nexport default { ...config, ...${settings} };\n`,
  );
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const child = spawn(process.execPath, [jest, '--config', config], {
    cwd: folder.path,
    env: { ...process.env, DATABASE_URL: url },
  });
  const [output] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'close')]);
  folder.remove();
  const count = (what: string) => Number(new RegExp(`^Tests:.*?(\\d+) ${what}`, 'm').exec(output)?.[1] ?? 0);
  return { passed: count('passed'), failed: count('failed'), output };
}

describeOnMariadb('tests in Jest on one $name', (kind) => {
  const shared = useDatabase(kind);

  it(
    'do not see each other, in two files with a test database each',
    async () => {
      const code = `${useBlock.prelude}\n${useBlock.code}`;
      const files = {
        'first.spec.ts': together('first', 'second') + code,
        'second.spec.ts': together('second', 'first') + code,
      };
      expect(await runJest(files, shared.url)).toMatchObject({ passed: 4, failed: 0 });
    },
    TIMEOUT_MS,
  );

  it(
    'may import the application after the URL is set, and leave nothing that keeps Jest running',
    async () => {
      // Jest runs a single file in its own process, and does not end that by force.
      const app = useBlock.prelude.replace('class AppModule', 'export class AppModule');
      const code = `${urlBlock.prelude}\n${urlBlock.code}${urlTest}`.replace('../src/', './');
      const files = { 'app.module.ts': app, 'url.spec.ts': code };
      expect(await runJest(files, shared.url)).toMatchObject({ passed: 1, failed: 0 });
    },
    TIMEOUT_MS,
  );
});
