import { type ConnectionOptions, createConnection } from 'mysql2/promise';

/** Asks a MySQL or MariaDB server over a connection of its own. An empty `database` is none. */
export async function queryOnce<T>(options: ConnectionOptions, sql: string): Promise<T[]> {
  const connection = await createConnection(options);
  try {
    const [rows] = await connection.query(sql);
    return rows as T[];
  } finally {
    connection.destroy();
  }
}
