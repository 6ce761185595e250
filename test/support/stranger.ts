import { createConnection } from 'mysql2/promise';
import type { DatabaseFixture } from './fixture.js';
import type { Json } from './scene.js';

/** Somebody else at a MariaDB, such as a SQL client with a transaction that was forgotten. Gone with the test. */
export type Stranger = Awaited<ReturnType<typeof strangerAt>>;

export async function strangerAt({ url, defer }: DatabaseFixture) {
  const connection = await createConnection(url);
  defer(() => connection.destroy());
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await connection.query('SET autocommit = 0');
  const query = async (sql: string, parameters: unknown[] = []): Promise<Json[]> => {
    const [rows] = await connection.query(sql, parameters);
    return rows as Json[];
  };
  return {
    /** A part of its transaction, which begins by itself. */
    query,
    /** By key: a plan that reads more rows would lock them all. */
    lock: (table: string, ids: string[], { key = 'id', mode = 'FOR UPDATE' } = {}) =>
      query(`SELECT ${key} FROM ${table} FORCE INDEX (PRIMARY) WHERE ${key} IN (?) ${mode}`, [ids]),
    letGo: () => query('ROLLBACK'),
  };
}
