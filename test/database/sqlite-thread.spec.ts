import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SqliteThread } from '../../src/store/sqlite/sqlite-thread.js';
import { databases, type TestDatabase } from '../support/databases.js';

const [sqlite] = databases;

describe('a SQLite connection in its own thread', () => {
  let database: TestDatabase;
  let thread: SqliteThread;
  let path: string;

  beforeEach(async () => {
    database = (await sqlite?.create()) as TestDatabase;
    path = database.url.slice('sqlite:'.length);
    thread = new SqliteThread(path);
    await thread.opened;
    await thread.query('CREATE TABLE note (name TEXT PRIMARY KEY, content BLOB)', []);
  });
  afterEach(async () => {
    await thread.close();
    await database.drop();
  });

  it('returns bytes as they were stored, and null for a missing value', async () => {
    const content = Buffer.from([0, 255, 10, 13]);
    await thread.each('INSERT INTO note VALUES (?, ?)', [
      ['some', content],
      ['none', null],
    ]);
    const { rows } = await thread.query('SELECT * FROM note ORDER BY name DESC', []);
    expect(rows).toEqual([
      { name: 'some', content },
      { name: 'none', content: null },
    ]);
    const [some] = rows as { content: unknown }[];
    expect(Buffer.isBuffer(some?.content)).toBe(true);
  });

  it('returns text stored in a blob column as text', async () => {
    await thread.query('INSERT INTO note VALUES (?, ?)', ['text', 'plain']);
    expect((await thread.query('SELECT content FROM note', [])).rows).toEqual([{ content: 'plain' }]);
  });

  it('returns the number of changes, or the returned row, for each row', async () => {
    const insert = 'INSERT OR IGNORE INTO note (name) VALUES (?)';
    expect(await thread.each(insert, [['a'], ['a'], ['b']])).toEqual([1, 0, 1]);
    const remove = 'DELETE FROM note WHERE name = ? RETURNING name';
    expect(await thread.each(remove, [['b'], ['c']])).toEqual([{ name: 'b' }, undefined]);
  });

  it('undoes a script in which a row changes nothing that must', async () => {
    const add = { sql: 'INSERT INTO note (name) VALUES (?)', rows: [['a'], ['b']] };
    const rename = (rows: string[][]) => ({
      sql: 'UPDATE note SET name = ? WHERE name = ?',
      rows,
      mustChange: true,
    });
    const steps = [
      add,
      rename([
        ['c', 'a'],
        ['d', 'none'],
      ]),
      add,
    ];
    await expect(thread.script(steps)).rejects.toMatchObject({ code: 'ROW_UNCHANGED' });
    expect((await thread.query('SELECT name FROM note', [])).rows).toEqual([]);
    expect(
      await thread.script([
        add,
        rename([
          ['c', 'a'],
          ['d', 'b'],
        ]),
      ]),
    ).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect((await thread.query('SELECT name FROM note ORDER BY name', [])).rows).toEqual([
      { name: 'c' },
      { name: 'd' },
    ]);
  });

  it('passes on the code of an error, and works afterwards', async () => {
    const insert = () => thread.query('INSERT INTO note (name) VALUES (?)', ['a']);
    await insert();
    await expect(insert()).rejects.toMatchObject({
      message: expect.stringContaining('UNIQUE'),
      code: 'SQLITE_CONSTRAINT_PRIMARYKEY',
    });
    await expect(thread.query('SELECT ?', [() => {}])).rejects.toThrow(/could not be cloned/);
    expect((await thread.query('SELECT name FROM note', [])).rows).toEqual([{ name: 'a' }]);
  });

  it('refuses to open a file that is not a database', async () => {
    const missing = new SqliteThread(`${path}/none.sqlite`);
    await expect(missing.opened).rejects.toThrow();
    await expect(missing.query('SELECT 1', [])).rejects.toThrow('unable to open database file');
    await missing.close();
  });

  it('answers calls made before it is closed, and refuses later ones', async () => {
    const before = thread.query('SELECT 1 AS one', []);
    const closed = thread.close();
    expect((await before).rows).toEqual([{ one: 1 }]);
    await closed;
    await expect(thread.query('SELECT 1', [])).rejects.toThrow('The database connection is not open.');
    await thread.close();
  });
});
