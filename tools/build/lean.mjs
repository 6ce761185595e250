import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Found at run time beside the service, as they have native parts or are rarely used whole. */
const OUTSIDE = new Set(['mysql2', 'sqlite-driver']);
const ABSENT = '\0absent:';
/** TypeORM loads the drivers of all databases that it knows. Only these are ever made. */
const OTHER_DRIVER =
  /\/typeorm\/driver\/(?!(?:mysql|better-sqlite3|sqlite-abstract)\/)[\w-]+\/(\w+Driver)\.js$/;
/** It asks TypeORM for what version 1 no longer has, by a second copy that `require` would find. */
const OLD_TYPEORM = /\/@nestjs\/typeorm\/dist\/common\/typeorm-compat\.js$/;
const SECOND_COPY = 'createRequire(import.meta.url)';

/** Leaves out of a bundle what the service never uses. */
export function lean(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const isInstalled = (name) => {
    const found = packages[`node_modules/${name}`];
    return found && !found.dev && !found.devOptional && !found.peer;
  };
  return {
    name: 'lean',
    resolveId(id, importer) {
      const name = /^(?:@[^/]+\/)?[a-z][^/:]*(?=\/|$)/.exec(id)?.[0];
      if (!name || !importer || process.getBuiltinModule(id)) return null;
      if (OUTSIDE.has(name)) return { id, external: true };
      // Packages ask for others that an application may have. Development has some of them.
      return isInstalled(name) ? null : ABSENT + id;
    },
    load(id) {
      if (id.startsWith(ABSENT)) return absent(id.slice(ABSENT.length));
      const driver = OTHER_DRIVER.exec(id)?.[1];
      return driver ? `exports.${driver} = class ${driver} {};` : null;
    },
    transform(code, id) {
      if (!OLD_TYPEORM.test(id)) return null;
      if (!code.includes(SECOND_COPY)) throw new Error(`${id} no longer has "${SECOND_COPY}".`);
      return { code: code.replace(SECOND_COPY, '() => ({})'), map: null };
    },
  };
}

const absent = (id) =>
  `throw Object.assign(new Error(${JSON.stringify(`Cannot find package '${id}'`)}), { code: 'MODULE_NOT_FOUND' });
module.exports = {};`;
