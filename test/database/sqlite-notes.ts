import { beforeEach } from '@jest/globals';
import { DataSource, type EntityManager } from 'typeorm';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { SqliteReaders } from '../../src/store/sqlite/sqlite-readers.js';
import { SqliteThread } from '../../src/store/sqlite/sqlite-thread.js';
import { SQLITE } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { betterSqlite3 } from '../support/host.js';

const pathOf = (url: string) => url.slice('sqlite:'.length);

const OPENED_BY = {
  service: (url: string) => createDataSource(dataSourceOptions(url)),
  host: (url: string) =>
    new DataSource({
      type: 'better-sqlite3',
      driver: betterSqlite3,
      database: pathOf(url),
      enableWAL: true,
    }),
};

/** A data source with a table of notes, for each test. A host's has its connection in this thread. */
export function useNotes(openedBy: keyof typeof OPENED_BY = 'service') {
  const database = useDatabase(SQLITE, 'test');
  const notes = {
    dataSource: undefined as unknown as DataSource,
    get path() {
      return pathOf(database.url);
    },
    async open() {
      const dataSource = await OPENED_BY[openedBy](database.url).initialize();
      notes.dataSource = dataSource;
      database.defer(() => dataSource.isInitialized && dataSource.destroy());
    },
    async names(manager?: EntityManager): Promise<string[]> {
      const by = manager ?? notes.dataSource.manager;
      const rows = await by.query<{ name: string }[]>('SELECT name FROM note ORDER BY name');
      return rows.map(({ name }) => name);
    },
    write(name: string, manager?: EntityManager): Promise<unknown> {
      const by = manager ?? notes.dataSource.manager;
      return by.query('INSERT INTO note (name) VALUES (?)', [name]);
    },
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

/** Lets all other work that is ready run first. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
