import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadDriver } from '../../src/store/driver.js';
import { type SqliteDriver, SqliteSession } from '../../src/store/sqlite/sqlite-session.js';

describe('a SQLite connection', () => {
  let session: SqliteSession;
  let prepared: string[];

  beforeEach(() => {
    const connection = new (loadDriver('sqlite-driver') as SqliteDriver)(':memory:', {});
    const prepare = connection.prepare.bind(connection);
    connection.prepare = (sql) => {
      prepared.push(sql);
      return prepare(sql);
    };
    prepared = [];
    session = new SqliteSession(connection);
  });
  afterEach(() => session.close());

  const run = (sql: string) => session.query(sql, []).rows;

  it('keeps the statements that come again, and none of those that never do', () => {
    const often = 'SELECT 1 AS one';
    for (let i = 0; i < 10; i++) expect(run(often)).toEqual([{ one: 1 }]);
    expect(prepared).toEqual([often, often]);
    for (let time = 0; time < 1000; time++) expect(run(`SELECT ${time} AS time`)).toEqual([{ time }]);
    prepared.length = 0;
    run(often);
    expect(prepared).toEqual([]);
    expect((session as unknown as { prepared: { size: number } }).prepared.size).toBe(1);
  });

  it('undoes a script in which a row changes nothing that must, and tells what each row has changed', () => {
    run('CREATE TABLE note (name TEXT PRIMARY KEY)');
    const add = { sql: 'INSERT OR IGNORE INTO note VALUES (?)', rows: [['a'], ['a'], ['b']] };
    const rename = (...rows: string[][]) => ({
      sql: 'UPDATE note SET name = ? WHERE name = ?',
      rows,
      mustChange: true,
    });
    expect(() => session.script([add, rename(['c', 'a'], ['d', 'none'])])).toThrow(
      expect.objectContaining({ code: 'ROW_UNCHANGED' }),
    );
    expect(run('SELECT name FROM note')).toEqual([]);
    expect(session.script([add, rename(['c', 'a'], ['d', 'b'])])).toEqual([
      [1, 0, 1],
      [1, 1],
    ]);
    const remove = { sql: 'DELETE FROM note WHERE name = ? RETURNING name', rows: [['c'], ['none']] };
    expect(session.script([remove])).toEqual([[{ name: 'c' }, undefined]]);
    expect(run('SELECT name FROM note')).toEqual([{ name: 'd' }]);
  });
});
