import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BEGUN = 'webhook-begin-';
const FOLDER = 'webhook-run-';

/**
 * Makes a folder for all temporary files of the run, also those of servers that it starts, and takes away those of runs that are
 * over. A run that lives listens in its folder.
 */
export async function beginFolder() {
  await removeLeftFolders();
  const begun = mkdtempSync(join(tmpdir(), BEGUN));
  // As that of all temporary files, since servers of tests may run as other users.
  chmodSync(begun, 0o1777);
  const server = createServer((socket) => socket.destroy());
  await new Promise((resolve) => server.listen(join(begun, 'life'), resolve));
  server.unref();
  // Only now, as another run may be looking for folders in which nobody listens.
  const folder = begun.replace(BEGUN, FOLDER);
  renameSync(begun, folder);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  return {
    /** What tests had to leave out (../left-out.ts), each said once. */
    leftOut() {
      const path = join(folder, 'left-out');
      return existsSync(path) ? new Set(readFileSync(path, 'utf8').trimEnd().split('\n')) : [];
    },
    end() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    },
  };
}

async function removeLeftFolders() {
  for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith(FOLDER))) {
    const folder = join(tmpdir(), name);
    if (!(await isListening(join(folder, 'life')))) rmSync(folder, { recursive: true, force: true });
  }
}

function isListening(path) {
  return new Promise((resolve) => {
    const socket = connect(path)
      .on('connect', () => resolve(true))
      .on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
