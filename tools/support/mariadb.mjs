// Databases for applications under test, on the server at TEST_MYSQL_URL.
import { createConnection } from 'mysql2/promise';

const { TEST_MYSQL_URL = 'mysql://root@127.0.0.1:3306' } = process.env;

async function administer(sql) {
  const connection = await createConnection({ uri: TEST_MYSQL_URL, connectTimeout: 5000 });
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}

/** @returns why the database server cannot be used; null if it can. */
export async function faultOfMysql() {
  try {
    await administer('SELECT 1');
    return null;
  } catch (error) {
    return `nothing answers at TEST_MYSQL_URL (${error.code ?? error.message})`;
  }
}

/** Calls `work` with the URL of a database that exists only during the call. @param charset of its tables and columns. */
export async function withDatabase(work, charset = 'utf8mb4') {
  const name = `webhook_tools_${process.pid}_${Date.now()}`;
  await administer(`CREATE DATABASE ${name} CHARACTER SET ${charset}`);
  try {
    const url = new URL(TEST_MYSQL_URL);
    url.pathname = `/${name}`;
    return await work(url.href);
  } finally {
    await administer(`DROP DATABASE ${name}`);
  }
}
