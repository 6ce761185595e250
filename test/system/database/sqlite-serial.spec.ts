import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { serialiseSqlite } from '../../../src/store/sqlite/sqlite-serial.js';
import { databases, type TestDatabase } from '../../support/databases.js';
import { betterSqlite3 } from '../../support/host.js';

const [sqlite] = databases;

/** Lets all other work that is ready run first. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('transactions of TypeORM on SQLite', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeEach(async () => {
    database = (await sqlite?.create()) as TestDatabase;
    dataSource = new DataSource({
      type: 'better-sqlite3',
      driver: betterSqlite3,
      database: database.url.slice('sqlite:'.length),
      enableWAL: true,
    });
    await dataSource.initialize();
    await dataSource.query('CREATE TABLE note (name TEXT PRIMARY KEY)');
  });
  afterEach(async () => {
    Logger.overrideLogger(true);
    await dataSource.destroy();
    await database.drop();
  });

  const write = (name: string, manager: EntityManager = dataSource.manager) =>
    manager.query('INSERT INTO note (name) VALUES (?)', [name]);
  async function names(): Promise<string[]> {
    const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM note ORDER BY name');
    return rows.map(({ name }) => name);
  }

  describe('with the workaround', () => {
    beforeEach(() => serialiseSqlite(dataSource));

    it('let what their callback does not await run after their end', async () => {
      const after: Promise<unknown>[] = [];
      const later = Promise.withResolvers<unknown>();
      await dataSource.transaction(async (manager) => {
        after.push(write('outside'));
        const begin = performance.now();
        // For longer than one that runs nothing would be left alone.
        for (let step = 0; performance.now() < begin + 600; step++) {
          await write(`inside ${step}`, manager);
          await turn();
        }
        setImmediate(() => write('later').then(later.resolve, later.reject));
      });
      await Promise.all([...after, later.promise]);
      expect(await names()).toEqual(expect.arrayContaining(['outside', 'later']));
    });
  });
});
