import { statSync, symlinkSync, unlinkSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/ids/ids.js';
import { terminate, useNotes } from '../../database/sqlite-notes.js';
import { until } from '../../support/until.js';

/** A query that runs for about a second. */
const SLOW = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000)
  SELECT COUNT(*) AS count FROM n`;
const SLOW_SELECT = `SELECT * FROM (${SLOW})`;
/** Runs for longer than a thread takes to start, which compiles TypeScript under the tests. */
const SLOWER_SELECT = SLOW_SELECT.replace('2000000', '12000000');
const ONE = { rows: [{ one: 1 }] };

describe('a slow read from SQLite', () => {
  const notes = useNotes();

  it('delays neither writes nor other reads', async () => {
    // Under the tests a thread takes seconds to start, on a busy machine longer than the slow read: then
    // the other read waits for that one, and the next turn finds the second thread.
    const bothComeFirst = async () => {
      const ended: string[] = [];
      const note = (name: string) => () => ended.push(name);
      const slow = notes.dataSource.query(SLOW_SELECT).then(note('slow'));
      await Promise.all([notes.write(newId()).then(note('write')), notes.names().then(note('read')), slow]);
      return ended.at(-1) === 'slow';
    };
    await until(bothComeFirst, { what: 'a read and a write before a slow read' });
  });

  it('does not stop the journal from being truncated, even if one is always running', async () => {
    const blob = Buffer.alloc(1024 * 1024);
    const journal = () => statSync(`${notes.path}-wal`).size;
    let reading = true;
    const select = `SELECT COUNT(*) FROM note, (${SLOW.replace('2000000', '100000')})`;
    const readers = Array.from({ length: 8 }, async () => {
      while (reading) await notes.dataSource.query(select);
    });
    const insert = (content: Buffer) =>
      notes.dataSource.query('INSERT INTO note VALUES (?, ?)', [newId(), content]);
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
  });

  describe('in a thread', () => {
    it('gets a second one beside it, which ends when few need it', async () => {
      const { readers, read, threads } = await notes.readers(notes.path, { patienceMs: 10, keepMs: 50 });
      await read();
      const ended: string[] = [];
      const slow = readers.query(SLOWER_SELECT, []).then(() => ended.push('slow'));
      await read();
      ended.push('short');
      await slow;
      expect(ended).toEqual(['short', 'slow']);
      await until(() => threads().length === 1, { what: 'the end of the second thread' });
      expect(await read()).toMatchObject(ONE);
    });

    it('is answered before the thread ends', async () => {
      const { readers, read } = await notes.readers(notes.path, { patienceMs: 1, keepMs: 1 });
      await read();
      const reads = Array.from({ length: 4 }, () => readers.query(SLOW_SELECT, []));
      for (const answer of await Promise.all(reads))
        expect(answer).toMatchObject({ rows: [{ count: 2_000_000 }] });
    });

    it('that ends while the other one is open leaves its reads to that', async () => {
      const { readers, read, threads } = await notes.readers(notes.path);
      await read();
      const slow = readers.query(SLOWER_SELECT, []).catch((error: Error) => error.message);
      await read();
      expect(threads()).toHaveLength(2);
      await terminate(threads()[0]);
      expect(await slow).toBe('The database connection is not open.');
      expect(await read()).toMatchObject(ONE);
      expect(threads()).toHaveLength(1);
    });

    it('ends before that is closed, as those that wait do, and no other one is started for them', async () => {
      const { readers, read, threads } = await notes.readers(notes.path);
      await read();
      const { length } = threads();
      const slow = readers.query(SLOW_SELECT, []);
      const late = read();
      await readers.close();
      expect(await slow).toMatchObject({ rows: [{ count: 2_000_000 }] });
      expect(await late).toMatchObject(ONE);
      expect(threads()).toHaveLength(length);
      await expect(read()).rejects.toThrow('The database connection is not open.');
    });

    it('is waited for if no second one can be opened', async () => {
      const link = `${notes.path}.link`;
      symlinkSync(notes.path, link);
      const limits = { patienceMs: 600_000, keepMs: 30_000 };
      const { readers, read, threads } = await notes.readers(link, limits);
      // However long the first one takes to open, the second one is not opened before the link is gone.
      await read();
      unlinkSync(link);
      limits.patienceMs = 10;
      const slow = readers.query(SLOWER_SELECT, []);
      expect(await read()).toMatchObject(ONE);
      expect(await slow).toMatchObject({ rows: [{ count: 12_000_000 }] });
      expect(threads()).toHaveLength(1);
    });
  });
});
