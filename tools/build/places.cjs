'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** Tables of `source-lines.mjs` by the names of the files that they are about, read at the first question. */
const tables = new Map();

/** @returns the place in the sources of a line in a file beside this one, as `src/service/serve.ts:40`; null if there is none. */
exports.placeOf = (file, line) => {
  const table = tableOf(file);
  if (!table) return null;
  const { sources, runs } = table;
  // The last run that begins at the line or before it.
  let [low, high] = [0, runs.length / 3];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle * 3] <= line) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return null;
  const [first, source, start] = runs.slice((low - 1) * 3, low * 3);
  return `${sources[source]}:${start + line - first}`;
};

function tableOf(file) {
  if (!tables.has(file)) {
    let table = null;
    try {
      const { sources, runs } = JSON.parse(readFileSync(join(__dirname, `${file}.lines.json`), 'utf8'));
      // An array of numbers would take twice as much, in the heap.
      table = { sources, runs: Uint32Array.from(runs) };
    } catch {
      // The places stay those of the bundle.
    }
    tables.set(file, table);
  }
  return tables.get(file);
}
