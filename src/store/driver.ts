import { createRequire } from 'node:module';

/** Drivers by their names in package.json, and what to do without one. */
const MISSING = {
  'sqlite-driver':
    'The SQLite driver (better-sqlite3) is not installed. It is an optional dependency of webhook-notification-service, so it was left out, or npm removed it because it wanted to compile it and could not. Install again with npm ci --include=optional --ignore-scripts, or keep the webhooks in MySQL or MariaDB.',
  mysql2:
    'The package mysql2 is not installed, a dependency of webhook-notification-service: run your package manager again (npm install).',
};

/**
 * Loads the driver that this package depends on. TypeORM would look for one beside itself, and find none or one of another
 * version. That is also why better-sqlite3 has another name here: TypeORM declares version 12 as a peer, which has to be
 * compiled, and npm would install that as well.
 *
 * @throws Error that says what to install, if it is missing.
 */
export function loadDriver(name: keyof typeof MISSING): unknown {
  const require = createRequire(import.meta.url);
  let path: string;
  try {
    path = require.resolve(name);
  } catch {
    throw new Error(MISSING[name]);
  }
  return require(path);
}
