import type { DataSource, EntityManager, QueryRunner, SelectQueryBuilder } from 'typeorm';
import { systemClock } from '../platform/clock.js';
import { NoConnectionError } from '../platform/database-error.js';

/**
 * How long work waits for a connection. Transactions that wait for the work that waits for them would wait for ever. By default
 * mysql2 gives up a connection that it makes after 10 s, and says then what is wrong with it.
 */
const BUSY_MS = 15_000;

/**
 * Gives `work` a connection of our own, outside of any transaction. An application may have the data source's own manager, its
 * `query` and its query builders answer for the transaction that is open in the context of whoever asks: what runs there would
 * be lost when that transaction rolls back, with what others were told is stored. Only a query runner is nobody else's.
 *
 * @throws NoConnectionError when there is no connection for 15 s
 */
export async function withOwnManager<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  if (dataSource.queryResultCache) readUncached(runner.manager);
  await connectInTime(runner);
  try {
    return await work(runner.manager);
  } finally {
    await runner.release();
  }
}

/**
 * An application may have TypeORM answer whatever is found from its cache (`alwaysEnabled`). What we act on has to be so now; and no
 * erasure would find what is kept there.
 */
function readUncached(manager: EntityManager): void {
  const create = manager.createQueryBuilder.bind(manager) as (
    ...given: unknown[]
  ) => SelectQueryBuilder<never>;
  manager.createQueryBuilder = (...given: unknown[]) => create(...given).cache(false);
}

/**
 * Waits for the query runner's connection.
 *
 * @param ms how long, in milliseconds. @returns the driver's connection. @throws NoConnectionError
 */
export async function connectInTime<Connection>(runner: QueryRunner, ms = BUSY_MS): Promise<Connection> {
  const connecting: Promise<Connection> = runner.connect();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = systemClock.after(ms, () => reject(new NoConnectionError(ms)));
  try {
    return await Promise.race([connecting, late]);
  } catch (error) {
    // It still waits in the line of the pool, and must not keep what it gets there.
    connecting.then(
      () => runner.release(),
      () => {},
    );
    throw error;
  } finally {
    cancel();
  }
}

/** A transaction of our own. @param isolation where it is another one than the connection's. */
export const ownTransaction = <T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
  isolation?: 'READ COMMITTED' | 'READ UNCOMMITTED',
): Promise<T> =>
  withOwnManager(dataSource, (own) => (isolation ? own.transaction(isolation, work) : own.transaction(work)));

/** A statement of our own, outside of any transaction. */
export const ownQuery = <T>(dataSource: DataSource, sql: string): Promise<T> =>
  withOwnManager(dataSource, (own) => own.query<T>(sql));
