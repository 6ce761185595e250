// Builds the service: writes it and its commands to dist/service/bundle/, with what they need of their packages, in few
// files. To find, read and compile 2,500 modules took two thirds of a start. Types are checked by `npm run lint`.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { lean } from './lean.mjs';
import { PROGRAMS, READ, root, THREAD } from './programs.mjs';
import { sourceLines } from './source-lines.mjs';

// As deep below dist/ as src/service/: openapi.json and the console are found from there.
const out = join(root, 'dist/service/bundle');
const PRELUDE = 'prelude.cjs';

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const file of [PRELUDE, 'places.cjs']) copyFileSync(join(root, 'tools/build', file), join(out, file));
for (const input of [PROGRAMS, THREAD]) {
  const bundle = await rolldown({ ...READ, input, plugins: [lean(root)] });
  const { output } = await bundle.generate({
    dir: out,
    // As a module of ECMAScript, an import of node:http would read all its properties, and so load Node's own undici.
    format: 'cjs',
    minify: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    sourcemap: 'hidden',
    banner: ({ isEntry }) => (isEntry ? `require('./${PRELUDE}');` : ''),
  });
  await bundle.close();
  for (const chunk of output.filter(({ type }) => type === 'chunk')) {
    assertNamed(chunk);
    writeFileSync(join(out, chunk.fileName), chunk.code);
    if (!chunk.map) continue;
    writeFileSync(join(out, `${chunk.fileName}.lines.json`), JSON.stringify(sourceLines(chunk, out, root)));
  }
}

/** Errors, log lines and Nest's tokens carry the names of classes, which a bundler changes where two have the same one. */
function assertNamed({ modules, fileName }) {
  for (const [id, { code }] of Object.entries(modules)) {
    const renamed = id.startsWith(join(root, 'src')) && /\bclass (\w+)\$\d+/.exec(code ?? '')?.[1];
    if (renamed)
      throw new Error(`${fileName} renames the class ${renamed} of ${id}: give it a name of its own.`);
  }
}
