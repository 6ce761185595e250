import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** How rolldown reads the sources. Shaking takes away a call whose result is unused, also where it is made for what it throws. */
export const READ = { cwd: root, platform: 'node', tsconfig: true, treeshake: false };

/** By the names of their files in the bundle. */
export const PROGRAMS = {
  main: 'src/service/main.ts',
  migrate: 'src/service/commands/migrate.ts',
  'user-export': 'src/service/commands/user-export.ts',
  'user-import': 'src/service/commands/user-import.ts',
  'write-openapi': 'src/service/commands/write-openapi.ts',
};

/** Bundled by itself, so that the thread loads nothing of the others. */
export const THREAD = { 'sqlite-session': 'src/store/sqlite/sqlite-session.ts' };
