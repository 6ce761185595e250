import { type ConnectionOptions, createConnection, type QueryOptions } from 'mysql2/promise';

/** Asks a MySQL or MariaDB server over a connection of its own. An empty `database` is none. */
export async function queryOnce<T>(options: ConnectionOptions, sql: string | QueryOptions): Promise<T[]> {
  const connection = await createConnection(options);
  try {
    const [rows] = await connection.query(typeof sql === 'string' ? { sql } : sql);
    return rows as T[];
  } finally {
    connection.destroy();
  }
}
