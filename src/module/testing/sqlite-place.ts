import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from './mysql-place.js';
import { leftOverName, newPlaceName } from './place-name.js';

/** Makes a folder for a SQLite file among the system's temporary files. */
export async function createSqlitePlace(): Promise<Place> {
  const now = Date.now();
  await removeOldFolders(now);
  const folder = join(tmpdir(), newPlaceName(now));
  await mkdir(folder, { mode: 0o700 });
  return { url: `sqlite:${join(folder, 'test.sqlite')}`, tablePrefix: '', drop: () => remove(folder) };
}

async function removeOldFolders(now: number): Promise<void> {
  const names = await readdir(tmpdir());
  const old = names.filter((name) => leftOverName(name, now) === name);
  // Some may be another user's.
  await Promise.allSettled(old.map((name) => remove(join(tmpdir(), name))));
}

const remove = (folder: string) => rm(folder, { recursive: true, force: true });
