import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createConnection } from 'mysql2/promise';
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

async function valuesOf(url: string): Promise<Place[]> {
  const connection = await createConnection({ uri: url, rowsAsArray: true });
  try {
    const [tables] = (await connection.query('SHOW TABLES')) as unknown as [string[][]];
    return await Promise.all(
      tables.map(async ([table]) => {
        const [rows] = (await connection.query(`SELECT * FROM \`${table}\``)) as unknown as [unknown[][]];
        const values = rows
          .flat()
          .map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(String(value))));
        // One value a line, so that no match spans two values.
        const bytes = Buffer.concat(values.flatMap((value) => [value, Buffer.from('\n')]));
        return { name: `table ${table}`, bytes };
      }),
    );
  } finally {
    await connection.end();
  }
}
