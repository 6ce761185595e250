import { setImmediate } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { TestClock } from '../../../src/module/testing/test-clock.js';
import type { Database } from '../../../src/store/database.js';
import type { Script } from '../../../src/store/sqlite/script.js';
import { replayOf } from '../../support/replay.js';

/** What the database takes for each answer, by the test's clock. */
const ANSWER_MS = 10;

/** Time that passes only while nothing is under way: a real database, whose answers take the same on every machine. */
export class SlowTime {
  readonly clock = new TestClock();
  /** What is with the database. */
  private busy = 0;

  database(real: Database): Database {
    const answered = async <T>(ask: () => Promise<T>): Promise<T> => {
      await this.later();
      return this.asked(ask);
    };
    // On SQLite everybody waits for the end of a transaction, the test as well.
    const isAlone = real.hasOneProcess;
    return Object.assign(Object.create(real) as Database, {
      query: <T>(sql: string, parameters?: unknown[], manager?: EntityManager) => {
        const ask = () => real.query<T>(sql, parameters, manager);
        return isAlone && manager ? ask() : answered(ask);
      },
      run: <T>(work: (manager: EntityManager) => Promise<T>) => answered(() => real.run(work)),
      script: (script: Script) => answered(() => real.script(script)),
      transaction: <T>(work: (manager: EntityManager) => Promise<T>) =>
        answered(() => real.transaction(isAlone ? work : (manager) => this.inside(() => work(manager)))),
    });
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += ANSWER_MS) {
      do await setImmediate();
      while (this.busy > 0);
      this.clock.advance(ANSWER_MS);
    }
  }

  private later(): Promise<void> {
    return new Promise((resolve) => this.clock.after(ANSWER_MS, resolve));
  }

  private async asked<T>(ask: () => Promise<T>): Promise<T> {
    this.busy++;
    try {
      return await ask();
    } finally {
      this.busy--;
    }
  }

  /** Between the begin of a transaction and its commit, only its statements are with the database. */
  private async inside<T>(work: () => Promise<T>): Promise<T> {
    this.busy--;
    try {
      const result = await work();
      await this.later();
      return result;
    } finally {
      this.busy++;
    }
  }
}

/** A process that is in the list of instances. */
export async function listed(time: SlowTime, real: Database) {
  const { instance, jobs } = replayOf(time.database(real), time.clock);
  await real.query('INSERT INTO webhook_instance (id, started_at, heartbeat_at) VALUES (?, 0, 0)', [
    instance.id,
  ]);
  return { id: instance.id, jobs };
}
