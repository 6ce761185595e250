import { beforeEach } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { SqliteReaders } from '../../src/store/sqlite/sqlite-readers.js';
import { SqliteThread } from '../../src/store/sqlite/sqlite-thread.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';

const [sqlite] = databases as [TestDatabaseKind];

/** A data source of the service with a table of notes, for each test. */
export function useNotes() {
  const database = useDatabase(sqlite, 'test');
  const notes = {
    dataSource: undefined as unknown as DataSource,
    get path() {
      return database.url.slice('sqlite:'.length);
    },
    async open() {
      const dataSource = await createDataSource(dataSourceOptions(database.url)).initialize();
      notes.dataSource = dataSource;
      database.defer(() => dataSource.isInitialized && dataSource.destroy());
    },
    async names() {
      const rows = await notes.dataSource.query<{ name: string }[]>('SELECT name FROM note ORDER BY name');
      return rows.map(({ name }) => name);
    },
    write: (name: string) => notes.dataSource.query('INSERT INTO note (name) VALUES (?)', [name]),
    /** Threads that read a file. */
    async readers(of: string, limits = { patienceMs: 10, keepMs: 30_000 }) {
      const writer = new SqliteThread(notes.path);
      database.defer(() => writer.close());
      const readers = (await SqliteReaders.beside(writer, of, limits)) as SqliteReaders;
      database.defer(() => readers.close());
      const threads = () => (readers as unknown as { threads: SqliteThread[] }).threads;
      return { readers, threads, read: () => readers.query('SELECT 1 AS one', []) };
    },
  };
  beforeEach(async () => {
    await notes.open();
    await notes.dataSource.query('CREATE TABLE note (name TEXT PRIMARY KEY, content BLOB)');
  });
  return notes;
}

/** Ends it as a crash would. */
export const terminate = (one: SqliteThread | undefined) =>
  (one as unknown as { thread: { terminate(): Promise<number> } }).thread.terminate();
