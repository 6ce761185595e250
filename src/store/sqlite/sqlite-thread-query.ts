import { QueryFailedError, QueryResult, type QueryRunner } from 'typeorm';
import type { SqliteThread } from './sqlite-thread.js';

export type QueryArguments = [sql: string, parameters?: unknown[], useStructuredResult?: boolean];

/** Does what TypeORM's query runner does, for a connection that lives in another thread. */
export async function queryThread(
  thread: Pick<SqliteThread, 'query'>,
  runner: QueryRunner,
  ...[sql, parameters = [], useStructuredResult = false]: QueryArguments
): Promise<unknown> {
  // SQLite has no booleans.
  const bound = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value));
  const { logger } = runner.dataSource;
  logger.logQuery(sql, bound, runner);
  try {
    const { rows, changes, lastInsertRowid } = await thread.query(sql, bound);
    const result = new QueryResult();
    result.raw = rows ?? lastInsertRowid;
    if (rows) result.records = rows;
    else result.affected = changes;
    return useStructuredResult ? result : result.raw;
  } catch (error) {
    logger.logQueryError(error as Error, sql, bound, runner);
    throw new QueryFailedError(sql, bound, error as Error);
  }
}
