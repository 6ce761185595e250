import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { DataSource, type EntityManager } from 'typeorm';
import { serialiseSqlite } from '../../src/store/sqlite/sqlite-serial.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { betterSqlite3 } from '../support/host.js';
import { until } from '../support/until.js';

const [sqlite] = databases;

/** Lets all other work that is ready run first. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

class Rollback extends Error {}

/** A transaction that writes its id, and writes again in a nested transaction if it has one. */
type Unit =
  | { kind: 'plain' }
  | { kind: 'transaction'; ends: 'commit' | 'rollback'; savepoint: 'none' | 'keep' | 'undo'; turns: number };

const unit: fc.Arbitrary<Unit> = fc.oneof(
  fc.record({ kind: fc.constant('plain' as const) }),
  fc.record({
    kind: fc.constant('transaction' as const),
    ends: fc.constantFrom('commit' as const, 'rollback' as const),
    savepoint: fc.constantFrom('none' as const, 'keep' as const, 'undo' as const),
    turns: fc.nat(3),
  }),
);

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
  async function names(manager: EntityManager = dataSource.manager): Promise<string[]> {
    const rows = await manager.query<{ name: string }[]>('SELECT name FROM note ORDER BY name');
    return rows.map(({ name }) => name);
  }

  /** A transaction that rolls back, with a plain write by another caller in the middle. */
  async function writeDuringRollback(): Promise<void> {
    let plain: Promise<unknown> = Promise.resolve();
    const rolledBack = dataSource.manager.transaction(async (manager) => {
      await write('inside', manager);
      plain = write('outside');
      await turn();
      throw new Rollback();
    });
    await expect(rolledBack).rejects.toThrow(Rollback);
    await plain;
  }

  it('lose a plain write made while another transaction rolls back, without the workaround', async () => {
    await writeDuringRollback();
    expect(await names()).toEqual([]);
  });

  describe('with the workaround', () => {
    beforeEach(() => serialiseSqlite(dataSource));

    it('lose no plain write', async () => {
      await writeDuringRollback();
      expect(await names()).toEqual(['outside']);
    });

    it('keep exactly what was committed, in any order', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(unit, { minLength: 2, maxLength: 12 }), async (units) => {
          await dataSource.query('DELETE FROM note');
          await Promise.all(units.map(run));
          const expected = units.flatMap((one, index) => namesLeftBy(one, index)).sort();
          expect(await names()).toEqual(expected);
        }),
        { numRuns: 60 },
      );
    });

    it('refuse at once what their callback awaits without its manager, and go on without it', async () => {
      await dataSource.manager.transaction(async (manager) => {
        await write('inside', manager);
        const refused = {
          code: 'SQLITE_BUSY',
          message: expect.stringMatching(/transaction.*Use its manager/),
        };
        await expect(write('outside')).rejects.toMatchObject(refused);
        await expect(dataSource.transaction(() => write('nested'))).rejects.toMatchObject(refused);
      });
      expect(await names()).toEqual(['inside']);
    });

    it('refuse it in the callback of a runner and of a savepoint, too', async () => {
      const runner = dataSource.createQueryRunner();
      await runner.manager.transaction((outer) =>
        outer.transaction(async (inner) => {
          await write('inside', inner);
          await expect(write('outside')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
        }),
      );
      await runner.release();
      expect(await names()).toEqual(['inside']);
    });

    it('let others wait for their end, however long they run nothing', async () => {
      // Both begin in the same step of the same caller.
      const open = dataSource.transaction(async (manager) => {
        await write('inside', manager);
        await expect(write('own')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
        await expect(write('own')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
      });
      await Promise.all([open, write('outside')]);
      expect(await names()).toEqual(['inside', 'outside']);
    });

    it('warn of one that runs nothing while others wait', async () => {
      const warned: string[] = [];
      Logger.overrideLogger({ log() {}, error() {}, warn: (message: string) => void warned.push(message) });
      const runner = dataSource.createQueryRunner();
      await runner.startTransaction();
      const waiting = Promise.all([write('one'), write('two')]);
      await until(() => warned.length > 0);
      await runner.commitTransaction();
      await runner.release();
      await waiting;
      expect(warned).toEqual([
        expect.stringMatching(/transaction keeps SQLite.*without \{ manager \}.*2 wait for it/),
      ]);
    });

    it('hide uncommitted rows from others', async () => {
      let seen: Promise<string[]> = Promise.resolve([]);
      const rolledBack = dataSource.manager.transaction(async (manager) => {
        await write('secret', manager);
        seen = names();
        await turn();
        expect(await names(manager)).toEqual(['secret']);
        throw new Rollback();
      });
      await expect(rolledBack).rejects.toThrow(Rollback);
      expect(await seen).toEqual([]);
    });

    it('work again after a BEGIN that failed', async () => {
      const raw = (dataSource.driver as unknown as { databaseConnection: { exec(sql: string): void } })
        .databaseConnection;
      raw.exec('BEGIN');
      await expect(dataSource.manager.transaction((manager) => write('a', manager))).rejects.toThrow();
      // The connection is usable again.
      await write('b');
      expect(await names()).toEqual(['b']);
    });

    it('work again after a COMMIT that failed', async () => {
      await dataSource.query(
        'CREATE TABLE child (name TEXT REFERENCES note (name) DEFERRABLE INITIALLY DEFERRED)',
      );
      await dataSource.query('PRAGMA foreign_keys = ON');
      const failed = dataSource.manager.transaction((manager) =>
        manager.query(`INSERT INTO child (name) VALUES ('nobody')`),
      );
      await expect(failed).rejects.toThrow(/FOREIGN KEY/);
      await write('after');
      expect(await names()).toEqual(['after']);
      expect(await dataSource.query('SELECT * FROM child')).toEqual([]);
    });

    it('work again after a transaction was released without commit or rollback', async () => {
      const runner = dataSource.createQueryRunner();
      await runner.startTransaction();
      await runner.query(`INSERT INTO note (name) VALUES ('forgotten')`);
      const waiting = write('waiting');
      await runner.release();
      await waiting;
      expect(await names()).toEqual(['waiting']);
    });

    it('work again after a rollback without a transaction, and after a second release', async () => {
      const runner = dataSource.createQueryRunner();
      await expect(runner.rollbackTransaction()).rejects.toThrow();
      await expect(runner.commitTransaction()).rejects.toThrow();
      await runner.release();
      await runner.release();
      await write('after');
      expect(await names()).toEqual(['after']);
    });

    it('work again after a statement failed inside a transaction', async () => {
      await dataSource.manager.transaction(async (manager) => {
        await write('once', manager);
        await expect(write('once', manager)).rejects.toThrow(/UNIQUE/);
        await write('more', manager);
      });
      expect(await names()).toEqual(['more', 'once']);
    });

    it('run in the order of their calls when many wait', async () => {
      const order: number[] = [];
      const work = Array.from({ length: 50 }, (_, index) =>
        dataSource.manager.transaction(async (manager) => {
          await write(`${index}`, manager);
          order.push(index);
        }),
      );
      await Promise.all(work);
      expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(await names()).toHaveLength(50);
    });

    it('are not wrapped a second time', async () => {
      const { createQueryRunner } = dataSource.driver;
      serialiseSqlite(dataSource);
      expect(dataSource.driver.createQueryRunner).toBe(createQueryRunner);
    });
  });

  async function run(one: Unit, index: number): Promise<void> {
    if (one.kind === 'plain') {
      await write(`${index}`);
      return;
    }
    await dataSource.manager
      .transaction(async (manager) => {
        await write(`${index}`, manager);
        for (let i = 0; i < one.turns; i++) await turn();
        if (one.savepoint !== 'none') await runSavepoint(manager, one.savepoint, index);
        if (one.ends === 'rollback') throw new Rollback();
      })
      .catch(unlessRollback);
  }

  async function runSavepoint(manager: EntityManager, end: 'keep' | 'undo', index: number): Promise<void> {
    await manager
      .transaction(async (nested) => {
        await write(`${index}+`, nested);
        await turn();
        if (end === 'undo') throw new Rollback();
      })
      .catch(unlessRollback);
  }
});

function unlessRollback(error: unknown): void {
  if (!(error instanceof Rollback)) throw error;
}

function namesLeftBy(one: Unit, index: number): string[] {
  if (one.kind === 'plain') return [`${index}`];
  if (one.ends === 'rollback') return [];
  return one.savepoint === 'keep' ? [`${index}`, `${index}+`] : [`${index}`];
}
