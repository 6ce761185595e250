import { expect, it } from '@jest/globals';
import { loadDriver } from '../../src/store/driver.js';
import { type SqliteDriver, SqliteSession } from '../../src/store/sqlite/sqlite-session.js';

it('a SQLite connection keeps the statements that come again, and none of those that never do', () => {
  const connection = new (loadDriver('sqlite-driver') as SqliteDriver)(':memory:', {});
  const prepare = connection.prepare.bind(connection);
  const prepared: string[] = [];
  connection.prepare = (sql) => {
    prepared.push(sql);
    return prepare(sql);
  };
  const session = new SqliteSession(connection);
  const run = (sql: string) => session.query(sql, []).rows;
  const often = 'SELECT 1 AS one';

  for (let i = 0; i < 10; i++) expect(run(often)).toEqual([{ one: 1 }]);
  expect(prepared).toEqual([often, often]);
  for (let time = 0; time < 1000; time++) expect(run(`SELECT ${time} AS time`)).toEqual([{ time }]);
  prepared.length = 0;
  run(often);
  expect(prepared).toEqual([]);
  expect((session as unknown as { prepared: { size: number } }).prepared.size).toBe(1);
  session.close();
});
