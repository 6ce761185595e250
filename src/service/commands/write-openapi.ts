import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { loadConfig } from '../../platform/config/load-config.js';
import { createApp } from '../create-app.js';
import { createDocument } from '../openapi/document.js';

/** Fixed settings instead of the environment's, so that the document is the same everywhere. */
const config = loadConfig({
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  DATABASE_URL: 'sqlite::memory:',
  ENCRYPTION_KEYS: `openapi:${Buffer.alloc(32).toString('base64')}`,
});

async function main(path: string): Promise<void> {
  const app = await createApp(config);
  writeFileSync(path, `${JSON.stringify(createDocument(app), null, 2)}\n`);
  await app.close();
}

const [path] = process.argv.slice(2);
if (path) void main(path);
else {
  console.error('Usage: npm run openapi, or give it a FILE');
  process.exitCode = 1;
}
