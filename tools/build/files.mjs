// Builds the sources file by file into dist/src/: for applications that embed them from this repository, as the tests of
// hosts do, and for debuggers. The service itself runs from the bundle that service.mjs makes of them.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { PROGRAMS, READ, root, THREAD } from './programs.mjs';

for (const folder of ['src', 'migrations', '_virtual'])
  rmSync(join(root, 'dist', folder), { recursive: true, force: true });
const bundle = await rolldown({
  ...READ,
  input: ['src/index.ts', ...Object.values(PROGRAMS), ...Object.values(THREAD)],
  // All packages but the helpers that the compiler of TypeScript brings.
  external: /^(?!@oxc-project\/)[^./\0]/,
});
await bundle.write({
  dir: join(root, 'dist'),
  format: 'esm',
  minify: false,
  preserveModules: true,
  preserveModulesRoot: root,
});
await bundle.close();
