import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadDriver } from '../../src/store/driver.js';
import {
  type SqliteConnection,
  type SqliteDriver,
  SqliteSession,
} from '../../src/store/sqlite/sqlite-session.js';

describe('the prepared statements of a SQLite connection', () => {
  let connection: SqliteConnection;
  let session: SqliteSession;
  let prepared: string[];

  beforeEach(() => {
    connection = new (loadDriver('sqlite-driver') as SqliteDriver)(':memory:', {});
    const prepare = connection.prepare.bind(connection);
    prepared = [];
    connection.prepare = (sql) => {
      prepared.push(sql);
      return prepare(sql);
    };
    session = new SqliteSession(connection);
  });
  afterEach(() => session.close());

  const run = (sql: string) => session.query(sql, []).rows;
  const often = 'SELECT 1 AS one';

  it('are kept from the second time on', () => {
    for (let i = 0; i < 10; i++) expect(run(often)).toEqual([{ one: 1 }]);
    expect(prepared).toEqual([often, often]);
  });

  it('do not make way for texts that never come again', () => {
    for (let i = 0; i < 2; i++) run(often);
    for (let time = 0; time < 1000; time++) expect(run(`SELECT ${time} AS time`)).toEqual([{ time }]);
    prepared = [];
    run(often);
    expect(prepared).toEqual([]);
    expect((session as unknown as { prepared: { size: number } }).prepared.size).toBe(1);
  });
});
