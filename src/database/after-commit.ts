import type { DataSource, EntitySubscriberInterface, QueryRunner } from 'typeorm';

/** The event of a transaction's end, as far as it is looked at. */
interface TransactionEnd {
  queryRunner: QueryRunner;
}

/** Calls back when a transaction that somebody else began is committed; not where it is rolled back. */
export class AfterCommit implements EntitySubscriberInterface {
  private readonly waiting = new WeakMap<QueryRunner, Set<() => void>>();

  constructor(private readonly dataSource: DataSource) {}

  /** @param run is called once, however often it is asked for in one transaction. */
  add(runner: QueryRunner, run: () => void): void {
    if (!this.dataSource.subscribers.includes(this)) this.dataSource.subscribers.push(this);
    const waiting = this.waiting.get(runner) ?? new Set();
    waiting.add(run);
    this.waiting.set(runner, waiting);
  }

  afterTransactionCommit({ queryRunner }: TransactionEnd): void {
    // A savepoint was released: the transaction itself goes on.
    if (queryRunner.isTransactionActive) return;
    const waiting = this.waiting.get(queryRunner) ?? [];
    this.waiting.delete(queryRunner);
    for (const run of waiting) run();
  }

  afterTransactionRollback({ queryRunner }: TransactionEnd): void {
    if (!queryRunner.isTransactionActive) this.waiting.delete(queryRunner);
  }
}
