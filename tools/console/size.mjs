// Says how large the built console is, compressed, and fails past its budget: `npm run build && npm run console:size`.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** Bytes of everything, whether it is loaded at first or later. */
const BUDGET = { '.js': 60_000, '.css': 10_000 };

const assets = join(dirname(fileURLToPath(import.meta.url)), '../../dist/console/assets');
const sizes = readdirSync(assets).map((name) => ({
  name,
  kind: extname(name),
  bytes: gzipSync(readFileSync(join(assets, name)), { level: 9 }).length,
}));
for (const { name, bytes } of sizes.sort((a, b) => b.bytes - a.bytes))
  console.log(`${bytes}`.padStart(7), name);
for (const [kind, budget] of Object.entries(BUDGET)) {
  const bytes = sizes.reduce((sum, file) => sum + (file.kind === kind ? file.bytes : 0), 0);
  const isOver = bytes > budget;
  console.log(`${kind}: ${bytes} of ${budget} bytes${isOver ? ', OVER BUDGET' : ''}`);
  if (isOver) process.exitCode = 1;
}
