import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { DataSource, EntityManager, ObjectLiteral } from 'typeorm';
import { failpoint } from '../platform/failpoint.js';
import { rethrowWithoutStatement } from '../platform/without-statement.js';
import { AfterCommit } from './after-commit.js';
import { type Dialect, dialectOf } from './columns.js';
import { committing, committingAlone } from './committing.js';
import { entitiesOf } from './entity-rows.js';
import { dropHalfTransactions } from './half-transactions.js';
import type { Changed, Insert, Statement, WriteStep } from './insert.js';
import { countStatements, insertAll, insertOne, insertStep, isInsert, statementParts } from './insert.js';
import { leaveDemotedNodes } from './mysql/demoted-nodes.js';
import { closeInTime, isReadCommitted } from './mysql/mysql-bounds.js';
import { mysqlSql } from './mysql/mysql-sql.js';
import { lockNumberOf, TAKE_LOCK } from './mysql/named-lock.js';
import { hasPendingMigrations } from './recorded-migrations.js';
import { rerun } from './rerun.js';
import { type Answer, runAll } from './run-all.js';
import type { Sql } from './sql.js';
import { runScript, type Script } from './sqlite/script.js';
import { emptyJournal, overwriteDeleted } from './sqlite/sqlite-erasure.js';
import { lockSqlite } from './sqlite/sqlite-lock.js';
import { outsideOfOwn, serialiseSqlite, sqliteEach, sqlitePragma } from './sqlite/sqlite-serial.js';
import type { ScriptAnswer } from './sqlite/sqlite-session.js';
import { sqliteSql } from './sqlite/sqlite-sql.js';
import { tablePrefixOf, withTablePrefix } from './table-prefix.js';

/** How long closing a data source that the host opened waits for running statements. */
const HOST_CLOSE_MS = 5000;
const SQL: Record<Dialect, Sql> = { sqlite: sqliteSql, mysql: mysqlSql };
const NO_TRANSACTION =
  "The manager is in no transaction, so nothing was stored: it is the data source's own, or its transaction has ended. Pass the " +
  'manager that dataSource.transaction(async (manager) => …) hands to its callback, or queryRunner.manager after ' +
  'startTransaction(), and await the call before the end; where there is no transaction, leave manager out.';

/** Access to the service's database: SQL for the queue's hot path, TypeORM's manager for everything else. */
@Injectable()
export class Database implements OnModuleInit {
  readonly dialect: Dialect;
  /** What is written differently for each database. */
  readonly sql: Sql;
  /** Adds the table prefix to a statement. */
  private readonly named: (sql: string) => string;
  private readonly afterCommit: AfterCommit;

  constructor(readonly dataSource: DataSource) {
    this.named = withTablePrefix(tablePrefixOf(dataSource));
    this.afterCommit = new AfterCommit(dataSource);
    this.dialect = dialectOf(dataSource);
    this.sql = SQL[this.dialect];
    serialiseSqlite(dataSource);
    dropHalfTransactions(dataSource);
    leaveDemotedNodes(dataSource);
    closeInTime(dataSource, HOST_CLOSE_MS);
  }

  /** Before the engine starts: a data source that the host opened is not locked yet, and keeps what is deleted. */
  async onModuleInit(): Promise<void> {
    lockSqlite(this.dataSource);
    if (this.dialect === 'sqlite') await overwriteDeleted(this.dataSource);
  }

  /** How many transactions of one kind to run in parallel: while one waits for the disk, another can work. */
  get parallelCommits(): number {
    return this.dialect === 'sqlite' ? 1 : 2;
  }

  /** Whether one process at most uses the database, so that what it has in memory is all that there is. */
  get hasOneProcess(): boolean {
    return this.dialect === 'sqlite';
  }

  /** Whether it is a file of this process, which may have free pages. */
  get isFile(): boolean {
    return this.dialect === 'sqlite';
  }

  /** Whether {@link script} works, and is the fastest way; transactions of several statements are it elsewhere. */
  get runsScripts(): boolean {
    return this.dialect === 'sqlite';
  }

  /** For TypeORM's find: locks the rows to write them, where more than one transaction runs at a time. */
  get lockedRows(): { lock?: { mode: 'pessimistic_write' } } {
    return this.sql.forUpdate === '' ? {} : { lock: { mode: 'pessimistic_write' } };
  }

  private get manager(): EntityManager {
    return this.dataSource.manager;
  }

  /**
   * Runs `work`, which is reads or one statement, outside of a transaction. Runs it again, up to 8 times in all, when it loses a
   * deadlock. Errors are stripped of the statement and its parameters.
   */
  run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return rerun(() => work(this.manager));
  }

  /**
   * Runs a statement, in the manager's transaction if there is one. By itself it runs again, up to 8 times in all, when it loses a
   * deadlock.
   */
  query<T>(sql: string, parameters: unknown[] = [], manager?: EntityManager): Promise<T> {
    const named = this.named(sql);
    return manager
      ? manager.query<T>(named, parameters).catch(rethrowWithoutStatement)
      : rerun(() => this.manager.query<T>(named, parameters));
  }

  /** Reads whole rows, many times faster than TypeORM does. @param sql selects columns under their own names. */
  async entities<T extends ObjectLiteral>(
    Entity: new () => T,
    sql: string,
    parameters: unknown[],
  ): Promise<T[]> {
    return entitiesOf(this.dataSource, Entity, await this.query(sql, parameters));
  }

  /**
   * Runs `work` in its own transaction, READ COMMITTED where the database has isolation levels: under REPEATABLE READ an
   * open claim locks gaps and blocks inserts. Runs it again, up to 8 times in all, when it loses a deadlock. Commits nothing
   * for a call that was refused in the meantime.
   *
   * @throws OutcomeUnknownError when the commit got no answer
   */
  async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const saysLevel = this.dialect !== 'sqlite' && !isReadCommitted(this.dataSource);
    return rerun(() =>
      committing(work, (inside) =>
        saysLevel ? this.manager.transaction('READ COMMITTED', inside) : this.manager.transaction(inside),
      ),
    );
  }

  /**
   * Whether the manager is inside a transaction that its owner began.
   *
   * @throws Error if it belongs to another data source.
   */
  isInTransaction({ dataSource, queryRunner }: EntityManager): boolean {
    if (dataSource === this.dataSource) return queryRunner?.isTransactionActive ?? false;
    throw new Error('The EntityManager is of another data source than the one that holds the webhooks.');
  }

  /** @throws Error with the way out if {@link isInTransaction} is false. */
  checkInTransaction(manager: EntityManager): void {
    if (!this.isInTransaction(manager)) throw new Error(NO_TRANSACTION);
  }

  /**
   * Waits for the end of a transaction that the caller is in, where only one can be open: for what calls do together, which
   * must not wait for one of them. Undefined, so that nothing waits, for nearly all.
   *
   * @throws OwnTransactionError if the transaction waits for the caller
   */
  outsideOfOwn(): Promise<void> | undefined {
    return outsideOfOwn(this.dataSource);
  }

  /** Calls `run` when the manager's open transaction has been committed, or may have been; never if it is rolled back. */
  onCommit({ queryRunner }: EntityManager, run: () => void): void {
    if (queryRunner) this.afterCommit.add(queryRunner, run);
  }

  /** Runs statements up to the first that fails, in the manager's transaction; on SQLite with no turn of the event loop between them. */
  all(manager: EntityManager, statements: Statement[]): Promise<Answer[]> {
    this.checkInTransaction(manager);
    const named = statements.map(({ sql, parameters }) => ({ sql: this.named(sql), parameters }));
    return runAll(manager, named).catch(rethrowWithoutStatement);
  }

  /** Runs the steps as one transaction on SQLite, with no turn of the event loop between them. */
  script(script: Script): Promise<ScriptAnswer> {
    const named = script.map((step) =>
      typeof step === 'string' ? step : { ...step, sql: this.named(step.sql) },
    );
    return runScript(this.dataSource, named).catch(rethrowWithoutStatement);
  }

  /** Runs a PRAGMA of SQLite, such as `freelist_count`, outside of a transaction. */
  pragma(sql: string): Promise<unknown> {
    return sqlitePragma(this.dataSource, sql).catch(rethrowWithoutStatement);
  }

  /**
   * Runs the statements as one transaction, on SQLite in one message, and passes the failpoints between them.
   *
   * @returns how many rows the last of them changed, if that is no {@link Insert}.
   */
  async writeTogether(steps: WriteStep[]): Promise<number> {
    if (this.dialect === 'sqlite') {
      const answers = await this.script(steps.map((step) => (isInsert(step) ? insertStep(step) : step)));
      return (answers.at(-1) as { changes?: number } | undefined)?.changes ?? 0;
    }
    let changed = 0;
    const write = async (manager: EntityManager) => {
      for (const step of steps)
        if (typeof step === 'string') failpoint(step);
        else if (isInsert(step)) await this.insertMany(manager, step);
        else ({ affectedRows: changed } = await this.query<Changed>(step.sql, step.parameters, manager));
    };
    await (countStatements(steps) > 1
      ? this.transaction(write)
      : rerun(() => committingAlone(this.manager, write)));
    return changed;
  }

  /** Inserts rows inside a transaction, in the fastest way each database offers. */
  async insertMany(manager: EntityManager, insert: Insert): Promise<void> {
    if (this.dialect === 'sqlite') {
      const one = this.named(insertOne(insert));
      for (const part of statementParts(insert.rows)) {
        // It writes past the manager: after the end of its transaction, into that of somebody else.
        this.checkInTransaction(manager);
        await sqliteEach(this.dataSource, one, part);
      }
      return;
    }
    const many = this.named(insertAll(insert));
    for (const part of statementParts(insert.rows)) await manager.query(many, [part]);
  }

  /**
   * Lets one transaction at a time have `name` across all processes, until it ends: for rules that no unique index can
   * enforce, such as a maximum count. Names may share a lock.
   *
   * A row is written, and not only locked, nor GET_LOCK called: on the nodes of a Galera cluster, which know nothing of each
   * other's locks, the second of two transactions that write it then fails when it commits, and runs again.
   */
  async lock(manager: EntityManager, name: string): Promise<void> {
    // SQLite runs one transaction at a time anyway.
    if (this.dialect !== 'sqlite') await this.query(TAKE_LOCK, [lockNumberOf(name)], manager);
  }

  /**
   * Removes from SQLite's files what was erased from its tables. Other databases have settings of their own for that.
   *
   * @returns false if a read of an earlier state prevents it for the moment.
   */
  async removeErased(): Promise<boolean> {
    if (this.dialect !== 'sqlite') return true;
    return emptyJournal(this.dataSource).catch(rethrowWithoutStatement);
  }

  /** Whether the schema is behind the code; null if the database does not answer in time. */
  hasPendingMigrations(timeoutMs: number): Promise<boolean | null> {
    return hasPendingMigrations(this.dataSource, timeoutMs);
  }
}
