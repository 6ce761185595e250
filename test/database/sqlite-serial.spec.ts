import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { EntityManager } from 'typeorm';
import { serialiseSqlite } from '../../src/store/sqlite/sqlite-serial.js';
import { until } from '../support/until.js';
import { turn, useNotes } from './sqlite-notes.js';

class Rollback extends Error {}
const unlessRollback = (error: unknown): string[] => {
  if (!(error instanceof Rollback)) throw error;
  return [];
};

/** A plain write after some turns, or a transaction that writes, and writes again in a nested one if it has a savepoint. */
const unit = fc.record({
  what: fc.constantFrom('plain', 'commit', 'rollback'),
  savepoint: fc.constantFrom('none', 'keep', 'undo'),
  turns: fc.nat(3),
});
type Unit = typeof unit extends fc.Arbitrary<infer One> ? One : never;

describe("a host's transactions on SQLite", () => {
  const notes = useNotes('host');
  const { names, write } = notes;

  beforeEach(() => serialiseSqlite(notes.dataSource));
  afterEach(() => Logger.overrideLogger(true));

  const transaction = <T>(work: (manager: EntityManager) => Promise<T>) =>
    notes.dataSource.manager.transaction(work);
  const refused = { code: 'SQLITE_BUSY', message: expect.stringMatching(/transaction.*Use its manager/) };

  /** @returns the names that stay. */
  async function run({ what, savepoint, turns }: Unit, name: string): Promise<string[]> {
    const wait = async () => {
      for (let i = 0; i < turns; i++) await turn();
    };
    if (what === 'plain') {
      await wait();
      await write(name);
      return [name];
    }
    const nested = async (manager: EntityManager) => {
      await write(`${name}+`, manager);
      await turn();
      if (savepoint === 'undo') throw new Rollback();
      return [`${name}+`];
    };
    return transaction(async (manager) => {
      await write(name, manager);
      await wait();
      const more = savepoint === 'none' ? [] : await manager.transaction(nested).catch(unlessRollback);
      if (what === 'rollback') throw new Rollback();
      return [name, ...more];
    }).catch(unlessRollback);
  }

  it('keep exactly what was committed, and every write beside them, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { minLength: 2, maxLength: 12 }), async (units) => {
        await notes.dataSource.query('DELETE FROM note');
        const stay = await Promise.all(units.map((one, index) => run(one, `${index}`)));
        expect(await names()).toEqual(stay.flat().sort());
      }),
      { numRuns: 60 },
    );
  });

  it('lose no plain write made while they roll back', async () => {
    let plain: Promise<unknown> = Promise.resolve();
    const rolledBack = transaction(async (manager) => {
      await write('inside', manager);
      plain = write('outside');
      await turn();
      throw new Rollback();
    });
    await expect(rolledBack).rejects.toThrow(Rollback);
    await plain;
    expect(await names()).toEqual(['outside']);
  });

  it('refuse at once what their callback awaits without its manager, and go on without it', async () => {
    await transaction(async (manager) => {
      await write('inside', manager);
      await expect(write('outside')).rejects.toMatchObject(refused);
      await expect(transaction(() => write('nested'))).rejects.toMatchObject(refused);
    });
    const runner = notes.dataSource.createQueryRunner();
    await runner.manager.transaction((outer) =>
      outer.transaction(async (inner) => {
        await write('inside a savepoint', inner);
        await expect(write('outside')).rejects.toMatchObject(refused);
      }),
    );
    await runner.release();
    expect(await names()).toEqual(['inside', 'inside a savepoint']);
  });

  it('let others wait for their end, however long they run nothing', async () => {
    // Both begin in the same step of the same caller.
    const open = transaction(async (manager) => {
      await write('inside', manager);
      for (let again = 0; again < 2; again++) await expect(write('own')).rejects.toMatchObject(refused);
    });
    await Promise.all([open, write('outside')]);
    expect(await names()).toEqual(['inside', 'outside']);
  });

  it('are warned of if they run nothing while others wait', async () => {
    const warned: string[] = [];
    Logger.overrideLogger({ log() {}, error() {}, warn: (message: string) => void warned.push(message) });
    const runner = notes.dataSource.createQueryRunner();
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
    const rolledBack = transaction(async (manager) => {
      await write('secret', manager);
      seen = names();
      await turn();
      expect(await names(manager)).toEqual(['secret']);
      throw new Rollback();
    });
    await expect(rolledBack).rejects.toThrow(Rollback);
    expect(await seen).toEqual([]);
  });

  it.each<[what: string, fault: () => Promise<void>]>([
    [
      'a BEGIN that failed',
      async () => {
        const { databaseConnection } = notes.dataSource.driver as unknown as {
          databaseConnection: { exec(sql: string): void };
        };
        databaseConnection.exec('BEGIN');
        await expect(transaction((manager) => write('lost', manager))).rejects.toThrow();
      },
    ],
    [
      'a COMMIT that failed',
      async () => {
        await notes.dataSource.query(
          'CREATE TABLE child (name TEXT REFERENCES note (name) DEFERRABLE INITIALLY DEFERRED)',
        );
        await notes.dataSource.query('PRAGMA foreign_keys = ON');
        const failed = transaction(async (manager) => {
          await write('lost', manager);
          await manager.query(`INSERT INTO child (name) VALUES ('nobody')`);
        });
        await expect(failed).rejects.toThrow(/FOREIGN KEY/);
      },
    ],
    [
      'one that was released without its end, and one that was ended without its beginning',
      async () => {
        const runner = notes.dataSource.createQueryRunner();
        await runner.startTransaction();
        await write('lost', runner.manager);
        await runner.release();
        const other = notes.dataSource.createQueryRunner();
        await expect(other.rollbackTransaction()).rejects.toThrow();
        await expect(other.commitTransaction()).rejects.toThrow();
        for (let twice = 0; twice < 2; twice++) await other.release();
      },
    ],
  ])('work again after %s', async (_what, fault) => {
    const failing = fault();
    const waiting = write('beside');
    await failing;
    await waiting;
    await transaction(async (manager) => {
      await write('once', manager);
      await expect(write('once', manager)).rejects.toThrow(/UNIQUE/);
      await write('more', manager);
    });
    expect(await names()).toEqual(['beside', 'more', 'once']);
  });

  it('run in the order of their calls when many wait', async () => {
    const order: number[] = [];
    const work = Array.from({ length: 50 }, (_, index) =>
      transaction(async (manager) => {
        await write(`${index}`, manager);
        order.push(index);
      }),
    );
    await Promise.all(work);
    expect(order).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(await names()).toHaveLength(50);
  });
});
