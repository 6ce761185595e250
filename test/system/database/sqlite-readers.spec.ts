import { statSync, symlinkSync, unlinkSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { newId } from '../../../src/platform/ids/ids.js';
import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import { SqliteReaders } from '../../../src/store/sqlite/sqlite-readers.js';
import { SqliteThread } from '../../../src/store/sqlite/sqlite-thread.js';
import { databases, type TestDatabase } from '../../support/databases.js';
import { until } from '../../support/until.js';

const [sqlite] = databases;

/** A query that runs for about a second. */
const SLOW = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000)
  SELECT COUNT(*) AS count FROM n`;
const SLOW_SELECT = `SELECT * FROM (${SLOW})`;
/** Runs for longer than a thread takes to start, which compiles TypeScript under the tests. */
const SLOWER_SELECT = SLOW_SELECT.replace('2000000', '12000000');

describe('reading from SQLite', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeEach(async () => {
    database = (await sqlite?.create()) as TestDatabase;
    dataSource = await createDataSource(dataSourceOptions(database.url)).initialize();
    await dataSource.query('CREATE TABLE note (name TEXT PRIMARY KEY, content BLOB)');
  });
  afterEach(async () => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await database.drop();
  });

  const names = async () =>
    (await dataSource.query<{ name: string }[]>('SELECT name FROM note ORDER BY name')).map(
      ({ name }) => name,
    );
  const write = (name: string) => dataSource.query('INSERT INTO note (name) VALUES (?)', [name]);

  it('does not wait for an open transaction, and does not see its changes', async () => {
    await dataSource.transaction(async (manager) => {
      await manager.query(`INSERT INTO note (name) VALUES ('open')`);
      expect(await names()).toEqual([]);
      expect(await manager.query('SELECT name FROM note')).toEqual([{ name: 'open' }]);
    });
    expect(await names()).toEqual(['open']);
  });

  it('sees everything committed before the read began', async () => {
    for (let i = 0; i < 300; i++) {
      await write(`${1000 + i}`);
      expect(await names()).toHaveLength(i + 1);
    }
  });

  it('delays neither writes nor other reads when a read is slow', async () => {
    // Under the tests a thread takes seconds to start, on a busy machine longer than the slow read: then
    // the other read waits for that one, and the next turn finds the second thread.
    const bothComeFirst = async () => {
      const ended: string[] = [];
      const note = (name: string) => () => ended.push(name);
      const slow = dataSource.query(SLOW_SELECT).then(note('slow'));
      await Promise.all([write(newId()).then(note('write')), names().then(note('read')), slow]);
      return ended.at(-1) === 'slow';
    };
    await until(bothComeFirst, { withinMs: 60_000, what: 'a read and a write before a slow read' });
  }, 90_000);

  it('does not stop the journal from being truncated, even if some read is always running', async () => {
    const blob = Buffer.alloc(1024 * 1024);
    const journal = () => statSync(`${database.url.slice('sqlite:'.length)}-wal`).size;
    let reading = true;
    const select = `SELECT COUNT(*) FROM note, (${SLOW.replace('5000000', '100000')})`;
    const readers = Array.from({ length: 8 }, async () => {
      while (reading) await dataSource.query(select);
    });
    const insert = (content: Buffer) =>
      dataSource.query('INSERT INTO note VALUES (?, ?)', [newId(), content]);
    try {
      while (journal() <= 64 * blob.length) await insert(blob);
      const largest = journal();
      // A check that met a long read is followed by the next one after 30 seconds; a busy machine may need some.
      const truncated = async () => {
        await insert(Buffer.alloc(1));
        return journal() < largest;
      };
      await until(truncated, { withinMs: 140_000, what: 'a shorter journal' });
    } finally {
      reading = false;
      await Promise.all(readers);
    }
  }, 180_000);

  it('returns bytes as they were stored', async () => {
    const content = Buffer.from([0, 255, 10]);
    await dataSource.query('INSERT INTO note VALUES (?, ?)', ['a', content]);
    expect(await dataSource.query('SELECT * FROM note')).toEqual([{ name: 'a', content }]);
  });

  it('is refused while a thousand reads wait, and works again afterwards', async () => {
    const reads = await Promise.allSettled(Array.from({ length: 1500 }, () => names()));
    const refused = reads.filter((read) => read.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'SQLITE_BUSY' });
    expect(await names()).toEqual([]);
  });

  it('ends with the data source, which can then be opened again', async () => {
    await names();
    await dataSource.destroy();
    await expect(names()).rejects.toThrow();
    dataSource = await createDataSource(dataSourceOptions(database.url)).initialize();
    expect(await names()).toEqual([]);
  });

  describe('in a thread', () => {
    let writer: SqliteThread;
    let path: string;
    let readers: SqliteReaders;

    beforeEach(() => {
      path = database.url.slice('sqlite:'.length);
      writer = new SqliteThread(path);
    });
    afterEach(async () => {
      await readers.close();
      await writer.close();
    });

    const open = async (of: string, limits = { patienceMs: 10, keepMs: 30_000 }) => {
      readers = (await SqliteReaders.beside(writer, of, limits)) as SqliteReaders;
    };
    const threads = () => (readers as unknown as { threads: SqliteThread[] }).threads;
    const read = () => readers.query('SELECT 1 AS one', []);

    it('that has ended continues in a new one', async () => {
      await open(path);
      await read();
      await Promise.all(threads().map((one) => (one as unknown as { thread: Worker }).thread.terminate()));
      expect(await read()).toMatchObject({ rows: [{ one: 1 }] });
    });

    it('is alone while reads are short, however many come at once', async () => {
      await open(path, { patienceMs: 600_000, keepMs: 1 });
      await read();
      for (let i = 0; i < 20; i++) await Promise.all([read(), read(), read()]);
      expect(threads()).toHaveLength(1);
    });

    it('gets a second one beside it while it runs a slow read, which ends when few need it', async () => {
      await open(path, { patienceMs: 10, keepMs: 50 });
      await read();
      const ended: string[] = [];
      const slow = readers.query(SLOWER_SELECT, []).then(() => ended.push('slow'));
      await read();
      ended.push('short');
      await slow;
      expect(ended).toEqual(['short', 'slow']);
      await until(() => threads().length === 1, { what: 'the end of the second thread' });
      expect(await read()).toMatchObject({ rows: [{ one: 1 }] });
    }, 60_000);

    it('answers what it was asked before it ends', async () => {
      await open(path, { patienceMs: 1, keepMs: 1 });
      await read();
      const reads = Array.from({ length: 4 }, () => readers.query(SLOW_SELECT, []));
      for (const answer of await Promise.all(reads))
        expect(answer).toMatchObject({ rows: [{ count: 2_000_000 }] });
    });

    it('that ends while the other one is open leaves its reads to that', async () => {
      await open(path);
      await read();
      const slow = readers.query(SLOWER_SELECT, []).catch((error: Error) => error.message);
      await read();
      expect(threads()).toHaveLength(2);
      await (threads()[0] as unknown as { thread: Worker }).thread.terminate();
      expect(await slow).toBe('The database connection is not open.');
      expect(await read()).toMatchObject({ rows: [{ one: 1 }] });
      expect(threads()).toHaveLength(1);
    });

    it('ends after its reads when it is closed, also those that wait, and starts no other one for them', async () => {
      await open(path);
      await read();
      const { length } = threads();
      const slow = readers.query(SLOW_SELECT, []);
      const late = read();
      await readers.close();
      expect(await slow).toMatchObject({ rows: [{ count: 2_000_000 }] });
      expect(await late).toMatchObject({ rows: [{ one: 1 }] });
      expect(threads()).toHaveLength(length);
      await expect(read()).rejects.toThrow('The database connection is not open.');
    });

    it('goes on alone if no second one can be opened', async () => {
      symlinkSync(path, `${path}.link`);
      const limits = { patienceMs: 600_000, keepMs: 30_000 };
      await open(`${path}.link`, limits);
      // However long the first one takes to open, the second one is not opened before the link is gone.
      await read();
      unlinkSync(`${path}.link`);
      limits.patienceMs = 10;
      const slow = readers.query(SLOWER_SELECT, []);
      expect(await read()).toMatchObject({ rows: [{ one: 1 }] });
      expect(await slow).toMatchObject({ rows: [{ count: 12_000_000 }] });
      expect(threads()).toHaveLength(1);
    }, 60_000);

    it('that could not open the database works once it can be opened', async () => {
      await open(`${path}.link`);
      await expect(read()).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' });
      symlinkSync(path, `${path}.link`);
      expect(await read()).toMatchObject({ rows: [{ one: 1 }] });
    });
  });

  it('works in memory', async () => {
    const memory = await createDataSource(dataSourceOptions('sqlite::memory:')).initialize();
    await memory.query('CREATE TABLE note (name TEXT)');
    expect(await memory.query('SELECT * FROM note')).toEqual([]);
    await memory.destroy();
  });
});
