import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import type { Place } from './secret-search.js';

/** All that a database holds: the bytes of its files, or every value of every table. */
export async function storedPlaces(databaseUrl: string): Promise<Place[]> {
  return databaseUrl.startsWith('sqlite:')
    ? filesOf(databaseUrl.slice('sqlite:'.length))
    : valuesOf(databaseUrl);
}

/** With its journal and whatever else lies beside it. */
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
        // A line each: what is found stands in one value, not in two that meet.
        const bytes = Buffer.concat(values.flatMap((value) => [value, Buffer.from('\n')]));
        return { name: `table ${table}`, bytes };
      }),
    );
  } finally {
    await connection.end();
  }
}
