import type { DataSource, EntityManager } from 'typeorm';
import type { Columns } from './columns.js';
import type { Insert, Statement } from './insert.js';
import type { Sql } from './sql.js';

/** What a statement read, or how many rows it changed. */
export interface Answer {
  rows: unknown[];
  changes: number;
}

/** A database, as the store sees it: all that is done differently there. Each has a folder, which exports one. */
export interface Backend {
  /** Pieces of statements. */
  readonly sql: Sql;
  readonly columns: Columns;
  /** How many transactions of one kind to run in parallel: while one waits for the disk, another can work. */
  readonly parallelCommits: number;
  /** Whether one process at most uses the database, so that what it has in memory is all that there is. */
  readonly hasOneProcess: boolean;
  /** Whether it is a file of this process, which may have free pages. */
  readonly isFile: boolean;
  /** Whether a transaction is fastest as a script; elsewhere as statements, each of which takes many rows. */
  readonly runsScripts: boolean;

  /** Gives the connections of a data source the manners that the engine relies on, once, whoever opened it. */
  attach(dataSource: DataSource): void;
  /** What else a data source needs before the engine starts. */
  prepare(dataSource: DataSource): Promise<void>;
  /** A transaction, READ COMMITTED where there are isolation levels. */
  transaction<T>(dataSource: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T>;
  /** In bytes: how much of the values of rows fits into one statement, whatever they are. */
  rowsLimit(dataSource: DataSource): number;
  /** @throws StatementTooLargeError if the database would not take a statement of this size. */
  checkSize(dataSource: DataSource, statement: Statement): void;
  /** Runs statements up to the first that fails, in the manager's transaction. */
  all(manager: EntityManager, statements: Statement[]): Promise<Answer[]>;
  /** @param named adds the table prefix to a statement. */
  insert(manager: EntityManager, insert: Insert, named: (sql: string) => string): Promise<void>;
  /**
   * Lets one transaction at a time have `name` across all processes, until it ends.
   *
   * @param query runs a statement in that transaction.
   */
  lock(name: string, query: (sql: string, parameters: unknown[]) => Promise<unknown>): Promise<void>;
  /** Removes from files what was erased from tables. @returns false if a read prevents it for the moment. */
  removeErased(dataSource: DataSource): Promise<boolean>;
}
