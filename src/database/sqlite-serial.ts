import type { DataSource, QueryRunner } from 'typeorm';

/** One holder at a time, in order of asking. */
class Turn {
  private last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, with the function that ends it. */
  take(): Promise<() => void> {
    const before = this.last;
    let end!: () => void;
    this.last = new Promise((resolve) => {
      end = resolve;
    });
    return before.then(() => end);
  }
}

const serialised = new WeakSet<DataSource>();

/**
 * Cures TypeORM's SQLite driver, which runs everything on one connection and one query runner: a write made
 * while somebody else's transaction is open joins that transaction, and is lost without an error when it rolls back.
 *
 * Afterwards each unit of work (a transaction, or a query outside of one) has a query runner of its own and the
 * connection to itself. A query on the plain data source inside a transaction's callback therefore waits for
 * that transaction, as it does on any other database that holds a lock: use the callback's manager.
 *
 * Does nothing on other databases, or when called again.
 */
export function serialiseSqlite(dataSource: DataSource): void {
  if (dataSource.options.type !== 'better-sqlite3' || serialised.has(dataSource)) return;
  serialised.add(dataSource);
  const { driver } = dataSource;
  const shared = driver.createQueryRunner('master') as SqliteRunner;
  const turn = new Turn();
  driver.createQueryRunner = () => takeTurns(shared, turn);
}

interface SqliteRunner extends QueryRunner {
  driver: { databaseConnection: { inTransaction: boolean; exec(sql: string): void } };
  stmtCache: unknown;
  transactionDepth: number;
}

/** A query runner over the shared one's connection and statement cache that waits for its turn. */
function takeTurns(shared: SqliteRunner, turn: Turn): QueryRunner {
  const Runner = shared.constructor as new (driver: unknown) => SqliteRunner;
  const runner = new Runner(shared.driver);
  const own = {
    query: runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>,
    startTransaction: runner.startTransaction.bind(runner),
    commitTransaction: runner.commitTransaction.bind(runner),
    rollbackTransaction: runner.rollbackTransaction.bind(runner),
    release: runner.release.bind(runner),
  };
  let endTurn: (() => void) | undefined;

  function finish(): void {
    if (runner.isTransactionActive) return;
    endTurn?.();
    endTurn = undefined;
  }

  /** Whatever went wrong (a failed BEGIN or COMMIT, a caller that forgot): nobody else may wait for good. */
  function abandon(): void {
    if (!endTurn) return;
    if (runner.driver.databaseConnection.inTransaction) runner.driver.databaseConnection.exec('ROLLBACK');
    Object.assign(runner, { isTransactionActive: false, transactionDepth: 0 });
    finish();
  }

  return Object.assign(runner, {
    stmtCache: shared.stmtCache,

    async query(...args: unknown[]) {
      if (endTurn) return own.query(...args);
      const end = await turn.take();
      try {
        return await own.query(...args);
      } finally {
        end();
      }
    },
    async startTransaction(...args: Parameters<QueryRunner['startTransaction']>) {
      const outermost = !endTurn;
      endTurn ??= await turn.take();
      try {
        await own.startTransaction(...args);
      } catch (error) {
        if (outermost) abandon();
        throw error;
      }
    },
    async commitTransaction() {
      await own.commitTransaction();
      finish();
    },
    async rollbackTransaction() {
      await own.rollbackTransaction();
      finish();
    },
    async release() {
      abandon();
      await own.release();
    },
  });
}
