import { symlinkSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { terminate, useNotes } from './sqlite-notes.js';

const ONE = { rows: [{ one: 1 }] };

describe('reading from SQLite', () => {
  const notes = useNotes();
  const { names, write } = notes;

  it('does not wait for an open transaction, and does not see its changes', async () => {
    await notes.dataSource.transaction(async (manager) => {
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

  it('returns bytes, text and null as they were stored, from either connection', async () => {
    const stored = [
      { name: 'bytes', content: Buffer.from([0, 255, 10, 13]) },
      { name: 'none', content: null },
      { name: 'text', content: 'plain' },
    ];
    await notes.dataSource.transaction(async (manager) => {
      for (const { name, content } of stored)
        await manager.query('INSERT INTO note VALUES (?, ?)', [name, content]);
      expect(await manager.query('SELECT * FROM note ORDER BY name')).toEqual(stored);
    });
    expect(await notes.dataSource.query('SELECT * FROM note ORDER BY name')).toEqual(stored);
  });

  it('tells the code of an error, and works afterwards', async () => {
    await write('a');
    await expect(write('a')).rejects.toMatchObject({
      message: expect.stringContaining('UNIQUE'),
      code: 'SQLITE_CONSTRAINT_PRIMARYKEY',
    });
    await expect(notes.dataSource.query('SELECT ?', [() => {}])).rejects.toThrow(/could not be cloned/);
    expect(await names()).toEqual(['a']);
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
    await notes.dataSource.destroy();
    await expect(names()).rejects.toThrow();
    await notes.open();
    expect(await names()).toEqual([]);
  });

  it('works in memory', async () => {
    const memory = await createDataSource(dataSourceOptions('sqlite::memory:')).initialize();
    await memory.query('CREATE TABLE note (name TEXT)');
    expect(await memory.query('SELECT * FROM note')).toEqual([]);
    await memory.destroy();
  });

  describe('in a thread', () => {
    it('that has ended continues in a new one', async () => {
      const { read, threads } = await notes.readers(notes.path);
      await read();
      await Promise.all(threads().map(terminate));
      expect(await read()).toMatchObject(ONE);
    });

    it('is alone while reads are short, however many come at once', async () => {
      const { read, threads } = await notes.readers(notes.path, { patienceMs: 600_000, keepMs: 1 });
      await read();
      for (let i = 0; i < 20; i++) await Promise.all([read(), read(), read()]);
      expect(threads()).toHaveLength(1);
    });

    it('that could not open the database works once it can be opened', async () => {
      const { read } = await notes.readers(`${notes.path}.link`);
      await expect(read()).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' });
      symlinkSync(notes.path, `${notes.path}.link`);
      expect(await read()).toMatchObject(ONE);
    });
  });
});
