import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beginFolder } from './folder.mjs';
import { beginDatabases } from './mariadb.mjs';
import { slowness } from './slowness.mjs';

const DROP = join(import.meta.dirname, 'drop-databases.mjs');
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/compiled');

/** Begins a run of tests: gives it a place for its files and databases, and takes both away however it ends. */
export default async function setUp() {
  // Of the hundreds of threads and processes that tests start, only the first ones compile the code.
  process.env.NODE_COMPILE_CACHE ??= CACHE;
  process.env.TEST_SLOWNESS ??= slowness().toFixed(2);
  const databases = await beginDatabases();
  const folder = await beginFolder();
  const interrupted = () => process.exit(130);
  const told = () => process.exit(143);

  /** Without waiting: while a run that is interrupted waited, Jest would start workers again. */
  function end() {
    process.off('exit', end).off('SIGINT', interrupted).off('SIGTERM', told);
    if (process.env.TEST_DATABASES) execFileSync(process.execPath, [DROP], { stdio: 'inherit' });
    databases.end();
    folder.end();
  }
  process.on('exit', end).on('SIGINT', interrupted).on('SIGTERM', told);
  globalThis.endRun = () => {
    const lines = [...databases.leftOut, ...folder.leftOut()];
    end();
    for (const line of lines) console.error(line);
  };
}
