import type { DataSource, EntitySubscriberInterface, QueryRunner } from 'typeorm';
import { outsideOfContexts } from '../platform/contexts.js';

/** The part of TypeORM's transaction events that is used here. */
interface TransactionEnd {
  queryRunner: QueryRunner;
}

/**
 * Calls back when a transaction has been committed, or may have been, as its COMMIT got no answer; drops the callback when it
 * is rolled back.
 */
export class AfterCommit implements EntitySubscriberInterface {
  private readonly waiting = new WeakMap<QueryRunner, Set<() => void>>();
  /** The runners whose COMMIT has not been answered. */
  private readonly ending = new WeakSet<QueryRunner>();

  constructor(private readonly dataSource: DataSource) {}

  /** @param run is called once per transaction, even if it is added several times. */
  add(runner: QueryRunner, run: () => void): void {
    if (!this.dataSource.subscribers.includes(this)) this.dataSource.subscribers.push(this);
    const waiting = this.waiting.get(runner) ?? new Set();
    waiting.add(run);
    this.waiting.set(runner, waiting);
  }

  beforeTransactionCommit({ queryRunner }: TransactionEnd): void {
    if (this.waiting.has(queryRunner)) this.ending.add(queryRunner);
  }

  afterTransactionCommit({ queryRunner }: TransactionEnd): void {
    this.ending.delete(queryRunner);
    // Only a savepoint was released; the transaction is still open.
    if (!queryRunner.isTransactionActive) this.callBack(queryRunner);
  }

  /** After a COMMIT that failed there is no sign but this one: the ROLLBACK fails as well on a connection that is gone. */
  beforeTransactionRollback({ queryRunner }: TransactionEnd): void {
    if (this.ending.delete(queryRunner)) this.callBack(queryRunner);
  }

  afterTransactionRollback({ queryRunner }: TransactionEnd): void {
    if (!queryRunner.isTransactionActive) this.waiting.delete(queryRunner);
  }

  private callBack(queryRunner: QueryRunner): void {
    const waiting = this.waiting.get(queryRunner) ?? [];
    this.waiting.delete(queryRunner);
    // Whoever commits may still be inside of what an application takes for the transaction.
    outsideOfContexts(() => {
      for (const run of waiting) run();
    });
  }
}
