// Knip asks for each package where it is used: this repository's specs, configurations and scripts use the packages of
// tools/package.json, too. What is left is used nowhere, or listed nowhere.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './commands.mjs';

const { devDependencies } = JSON.parse(readFileSync(join(root, 'tools/package.json'), 'utf8'));
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/** Of the packages in tools/package.json, by the names of their programs too. */
const owners = new Map();
for (const name of Object.keys(devDependencies))
  for (const known of [name, ...Object.keys(packages[`node_modules/${name}`].bin ?? {})])
    owners.set(known, name);

export default function preprocess(results) {
  const { issues, counters } = results;
  const used = new Set();
  const drop = (type, isDropped) => {
    for (const found of Object.values(issues[type]))
      for (const [key, issue] of Object.entries(found)) {
        if (!isDropped(issue)) continue;
        delete found[key];
        counters[type]--;
        counters.total--;
      }
  };
  for (const type of ['unlisted', 'binaries'])
    drop(type, ({ symbol }) => owners.has(symbol) && used.add(owners.get(symbol)));
  drop('devDependencies', ({ symbol }) => used.has(symbol));
  return results;
}
