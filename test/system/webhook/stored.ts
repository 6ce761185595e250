import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { queryOnce } from '../support/query-once.js';
import type { Place } from './secret-search.js';

/** Everything a database holds: the bytes of the files (SQLite), or every value of every table (MariaDB). */
export async function storedPlaces(databaseUrl: string): Promise<Place[]> {
  return databaseUrl.startsWith('sqlite:')
    ? filesOf(databaseUrl.slice('sqlite:'.length))
    : valuesOf(databaseUrl);
}

/** The database file, its journal and everything else in its folder. */
function filesOf(path: string): Place[] {
  const folder = dirname(path);
  return readdirSync(folder).map((name) => ({
    name: `file ${name}`,
    bytes: readFileSync(join(folder, name)),
  }));
}

async function valuesOf(uri: string): Promise<Place[]> {
  const rowsOf = (sql: string) => queryOnce<unknown[]>({ uri, rowsAsArray: true }, sql);
  const tables = (await rowsOf('SHOW TABLES')).flat();
  return Promise.all(
    tables.map(async (table) => {
      const values = (await rowsOf(`SELECT * FROM ${table}`)).flat();
      const texts = values.map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(String(value))));
      // One value a line, so that no match spans two values.
      const bytes = Buffer.concat(texts.flatMap((text) => [text, Buffer.from('\n')]));
      return { name: `table ${table}`, bytes };
    }),
  );
}
