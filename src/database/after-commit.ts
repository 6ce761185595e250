import type { DataSource, EntitySubscriberInterface, QueryRunner } from 'typeorm';

/** The part of TypeORM's transaction events that is used here. */
interface TransactionEnd {
  queryRunner: QueryRunner;
}

/** Calls back when a transaction that the host began commits; drops the callback when it rolls back. */
export class AfterCommit implements EntitySubscriberInterface {
  private readonly waiting = new WeakMap<QueryRunner, Set<() => void>>();

  constructor(private readonly dataSource: DataSource) {}

  /** @param run is called once per transaction, even if it is added several times. */
  add(runner: QueryRunner, run: () => void): void {
    if (!this.dataSource.subscribers.includes(this)) this.dataSource.subscribers.push(this);
    const waiting = this.waiting.get(runner) ?? new Set();
    waiting.add(run);
    this.waiting.set(runner, waiting);
  }

  afterTransactionCommit({ queryRunner }: TransactionEnd): void {
    // Only a savepoint was released; the transaction is still open.
    if (queryRunner.isTransactionActive) return;
    const waiting = this.waiting.get(queryRunner) ?? [];
    this.waiting.delete(queryRunner);
    for (const run of waiting) run();
  }

  afterTransactionRollback({ queryRunner }: TransactionEnd): void {
    if (!queryRunner.isTransactionActive) this.waiting.delete(queryRunner);
  }
}
