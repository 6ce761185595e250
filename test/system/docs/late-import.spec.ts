import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { BlockFolder, blocksOf, type DocBlock } from '../../docs/doc-blocks.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';

const ROOT = join(import.meta.dirname, '../../..');
const TIMEOUT_MS = 300_000;

/** An application, and how to have it use a test database by its URL. */
const [useBlock, urlBlock] = blocksOf('docs/testing.md').filter(({ code }) =>
  code.includes('createTestDatabase('),
) as [DocBlock, DocBlock];

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

describeOnMariadb('a test file in Jest on $name', (kind) => {
  const shared = useDatabase(kind);

  it(
    'may import the application after the URL is set, and leaves nothing that keeps Jest running',
    async () => {
      const folder = new BlockFolder();
      folder.write('app.module.ts', useBlock.prelude.replace('class AppModule', 'export class AppModule'));
      folder.write('url.spec.ts', `${urlBlock.prelude}\n${urlBlock.code}${urlTest}`.replace('../src/', './'));
      const settings = JSON.stringify({ rootDir: ROOT, roots: [folder.path], testTimeout: 60_000 });
      const config = folder.write(
        'jest.config.mjs',
        `import config from '${ROOT}/jest.config.mjs';\nexport default { ...config, ...${settings} };\n`,
      );
      // Jest runs a single file in its own process, and does not end that by force.
      const run = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--config', config];
      const options = { cwd: folder.path, env: { ...process.env, DATABASE_URL: shared.url } };
      const { stderr } = await promisify(execFile)(process.execPath, run, options);
      folder.remove();
      expect(stderr).toMatch(/^Tests: +1 passed, 1 total$/m);
    },
    TIMEOUT_MS,
  );
});
