import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../src/platform/ids/ids.js';
import type { Database } from '../../src/store/database.js';
import { keysOf } from '../../src/store/sql.js';
import { databases } from '../support/databases.js';
import { useOneConnection } from '../support/one-connection.js';

/** A table of the service with a few columns: `id` is its primary key. */
const TABLE = 'webhook_statistic_delta';

/** What every database has to answer, whatever it writes to ask for it. */
describe.each(databases)('the pieces of statements on $name', (kind) => {
  const tables = useOneConnection(kind);
  let database: Database;

  beforeAll(() => {
    ({ database } = tables);
  });

  beforeEach(() => database.query(`DELETE FROM ${TABLE}`));

  const fill = (rows: [string, string][]) =>
    database.transaction((manager) =>
      database.insertMany(manager, { table: TABLE, columns: ['id', 'counts'], rows }),
    );
  async function rows(): Promise<string[][]> {
    const all = await database.query<Record<'id' | 'counts', string>[]>(`SELECT * FROM ${TABLE} ORDER BY id`);
    return all.map(({ id, counts }) => [id, counts]);
  }
  const ids = (count: number) => Array.from({ length: count }, () => newId());

  it('read rows of one parameter, of every type and with every text', async () => {
    const columns = { id: 'id', kind: 'word', user: 'user', some: 'text', count: 'integer' } as const;
    const given = [
      [newId(), 'RECORD_FINISHED', 'Zoë 🦄', `it's "quoted" \\ and \n broken`, 8_640_000_000_000_000],
      [newId(), 'a', 'A', '', -1],
      [newId(), 'b', 'ｆｕｌｌ', '☂'.repeat(5000), 0],
    ];
    for (const read of [database.sql.jsonRows(columns), database.sql.materialisedRows(columns)]) {
      const found = await database.query<Record<string, unknown>[]>(
        `SELECT r.id, r.kind, r.user, r.some, r.count FROM ${read} AS r`,
        [JSON.stringify(given)],
      );
      expect(found.map((row) => [row.id, row.kind, row.user, row.some, Number(row.count)])).toEqual(given);
    }
  });

  it('delete rows by their keys, one by one or with a condition', async () => {
    const [one, two, kept, other] = ids(4) as [string, string, string, string];
    await fill([one, two, kept, other].map((id) => [id, id === kept ? 'kept' : 'a']));
    const { deleteRows, deleteByKey, idList } = database.sql;
    await database.query(deleteRows(TABLE, { id: 'id' }), [keysOf([one, newId()])]);
    const { sql, parameter } = idList([two, kept]);
    await database.query(`${deleteByKey(TABLE)} WHERE id IN ${sql} AND counts = 'a'`, [parameter]);
    expect((await rows()).map(([id]) => id)).toEqual([kept, other]);
  });

  it('leave rows that are there, or set them anew', async () => {
    const id = newId();
    await fill([[id, 'a']]);
    const insert = '(id, counts) VALUES (?, ?)';
    await database.query(`${database.sql.insertIgnore} ${TABLE} ${insert}`, [id, 'b']);
    expect(await rows()).toEqual([[id, 'a']]);
    await database.query(
      `INSERT INTO ${TABLE} ${insert} ${database.sql.onDuplicate} counts = ${database.sql.concat('counts', "'!'")}`,
      [id, 'c'],
    );
    expect(await rows()).toEqual([[id, 'a!']]);
  });

  it('compare two columns as one', async () => {
    type Pair = [string, string];
    const pair = fc.tuple(fc.constantFrom('0', '1', '2'), fc.constantFrom('a', 'b', 'c'));
    const { comparePair, pairOf, jsonRows } = database.sql;
    const isBefore = ([a, b]: Pair, [c, d]: Pair) => a < c || (a === c && b < d);
    const text = ([one, other]: Pair) => one + other;
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(pair, { selector: text }), pair, async (given, from) => {
        const found = async (operator: '>' | '<=') => {
          const pairs = await database.query<{ one: string; other: string }[]>(
            `SELECT r.one, r.other FROM ${jsonRows({ one: 'word', other: 'word' })} AS r
             WHERE ${comparePair(['one', 'other'], operator)}`,
            [JSON.stringify(given), ...pairOf(...from)],
          );
          return pairs.map(({ one, other }) => one + other).sort();
        };
        const those = (are: (one: Pair) => boolean) => given.filter(are).map(text).sort();
        expect(await found('>')).toEqual(those((one) => isBefore(from, one)));
        expect(await found('<=')).toEqual(those((one) => !isBefore(from, one)));
      }),
      { numRuns: 50 },
    );
  });

  it('join the texts of many rows, however long they are', async () => {
    const sorted = ids(2000).sort();
    await fill(sorted.map((id) => [id, 'a']));
    const { concatRows, concat, selectLongTexts } = database.sql;
    const [row] = await database.query<{ texts: string }[]>(
      `${selectLongTexts} ${concatRows(concat('id', "';'"), 'id')} AS texts FROM ${TABLE}`,
    );
    expect(row?.texts).toBe(sorted.map((id) => `${id};`).join(''));
  });

  it('count bytes, also behind a NUL, and know the time, and the larger of two numbers', async () => {
    await fill([[newId(), 'ö\0☂']]);
    const { bytesOf, now, greatest } = database.sql;
    const [row] = await database.query<Record<string, number>[]>(
      `SELECT ${bytesOf('counts')} AS bytes, ${now} AS at, ${greatest}(3, 11) AS larger FROM ${TABLE}`,
    );
    expect([row?.bytes, row?.larger].map(Number)).toEqual([6, 11]);
    // The clock of a server on this machine is this machine's.
    expect(Math.abs(Number(row?.at) - Date.now())).toBeLessThan(60_000);
  });
});
