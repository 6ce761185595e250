import type { EntitySubscriberInterface, QueryRunner } from 'typeorm';

/** A connection of mysql2's pool, as TypeORM holds it. */
interface PooledConnection {
  /** Closes it, so that the server rolls back, and leaves its place in the pool to a new one. */
  destroy(): void;
}

/**
 * A subscriber that lets no connection go back into the pool with its transaction open. TypeORM ignores it if a ROLLBACK
 * fails, as on a Galera node that has left its group (1047), and the next START TRANSACTION on the connection would commit
 * the half that was written. Covers the transactions that the host begins on the data source, too.
 */
export class HalfTransactions implements EntitySubscriberInterface {
  beforeTransactionRollback({ queryRunner }: { queryRunner: QueryRunner }): void {
    // The savepoints of one transaction are rolled back one by one.
    if (Object.hasOwn(queryRunner, 'release')) return;
    const release = queryRunner.release.bind(queryRunner);
    queryRunner.release = async () => {
      if (queryRunner.isTransactionActive) {
        const connection: PooledConnection = await queryRunner.connect();
        connection.destroy();
      }
      await release();
    };
  }
}
