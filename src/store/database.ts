import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { DataSource, EntityManager, ObjectLiteral } from 'typeorm';
import { failpoint } from '../platform/failpoint.js';
import { rethrowWithoutStatement } from '../platform/without-statement.js';
import { AfterCommit } from './after-commit.js';
import type { Answer, Backend } from './backend.js';
import { BACKENDS, dialectOf } from './backends.js';
import { committing, committingAlone } from './committing.js';
import { entitiesOf } from './entity-rows.js';
import { checkInTransaction, isInTransaction } from './in-transaction.js';
import type { Changed, Insert, Statement, WriteStep } from './insert.js';
import { countStatements, insertStep, isInsert } from './insert.js';
import { withOwnManager } from './own-manager.js';
import { hasPendingMigrations } from './recorded-migrations.js';
import { rerun } from './rerun.js';
import type { Sql } from './sql.js';
import { runScript, type Script } from './sqlite/script.js';
import { outsideOfOwn, sqlitePragma } from './sqlite/sqlite-serial.js';
import type { ScriptAnswer } from './sqlite/sqlite-session.js';
import { tablePrefixOf, withTablePrefix } from './table-prefix.js';

/** Access to the service's database: SQL for the queue's hot path, TypeORM's manager for everything else. */
@Injectable()
export class Database implements OnModuleInit {
  /** What is written differently for each database. */
  readonly sql: Sql;
  private readonly backend: Backend;
  /** Adds the table prefix to a statement. */
  private readonly named: (sql: string) => string;
  private readonly afterCommit: AfterCommit;

  constructor(readonly dataSource: DataSource) {
    this.named = withTablePrefix(tablePrefixOf(dataSource));
    this.afterCommit = new AfterCommit(dataSource);
    this.backend = BACKENDS[dialectOf(dataSource)];
    this.sql = this.backend.sql;
    this.backend.attach(dataSource);
  }

  /** Before the engine starts. */
  async onModuleInit(): Promise<void> {
    await this.backend.prepare(this.dataSource);
  }

  /** See {@link Backend.parallelCommits}. */
  get parallelCommits(): number {
    return this.backend.parallelCommits;
  }

  /** See {@link Backend.hasOneProcess}. */
  get hasOneProcess(): boolean {
    return this.backend.hasOneProcess;
  }

  /** See {@link Backend.isFile}. */
  get isFile(): boolean {
    return this.backend.isFile;
  }

  /** See {@link Backend.runsScripts}; only there {@link script} works. */
  get runsScripts(): boolean {
    return this.backend.runsScripts;
  }

  /** For TypeORM's find: locks the rows to write them, where more than one transaction runs at a time. */
  get lockedRows(): { lock?: { mode: 'pessimistic_write' } } {
    return this.sql.forUpdate === '' ? {} : { lock: { mode: 'pessimistic_write' } };
  }

  /**
   * Runs `work`, which is reads or one statement, outside of a transaction. Runs it again, up to 8 times in all, when it loses a
   * deadlock. Errors are stripped of the statement and its parameters.
   */
  run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return rerun(() => withOwnManager(this.dataSource, work));
  }

  /**
   * Runs a statement, in the manager's transaction if there is one. By itself it runs again, up to 8 times in all, when it loses a
   * deadlock.
   *
   * @throws StatementTooLargeError
   */
  query<T>(sql: string, parameters: unknown[] = [], manager?: EntityManager): Promise<T> {
    const named = this.named(sql);
    try {
      this.backend.checkSize(this.dataSource, { sql: named, parameters });
    } catch (error) {
      return Promise.reject(error);
    }
    return manager
      ? manager.query<T>(named, parameters).catch(rethrowWithoutStatement)
      : this.run((own) => own.query<T>(named, parameters));
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
   * Runs `work` in its own transaction, READ COMMITTED where the database has isolation levels. Runs it again, up to 8 times in
   * all, when it loses a deadlock. Commits nothing for a call that was refused in the meantime.
   *
   * @throws OutcomeUnknownError when the commit got no answer
   */
  async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return rerun(() => committing(work, (inside) => this.backend.transaction(this.dataSource, inside)));
  }

  /**
   * Whether the manager is inside a transaction that its owner began.
   *
   * @throws Error if it belongs to another data source.
   */
  isInTransaction(manager: EntityManager): boolean {
    if (manager.dataSource === this.dataSource) return isInTransaction(manager);
    throw new Error('The EntityManager is of another data source than the one that holds the webhooks.');
  }

  /** @throws Error with the way out if {@link isInTransaction} is false. */
  checkInTransaction(manager: EntityManager): void {
    if (!this.isInTransaction(manager)) checkInTransaction(manager);
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
    for (const statement of named) this.backend.checkSize(this.dataSource, statement);
    return this.backend.all(manager, named).catch(rethrowWithoutStatement);
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
   * Runs the statements as one transaction, as a script where that is faster, and passes the failpoints between them.
   *
   * @returns how many rows the last of them changed, if that is no {@link Insert}.
   */
  async writeTogether(steps: WriteStep[]): Promise<number> {
    if (this.runsScripts) {
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
    await (countStatements(steps, this.backend.rowsLimit(this.dataSource)) > 1
      ? this.transaction(write)
      : this.run((own) => committingAlone(own, write)));
    return changed;
  }

  /** Inserts rows inside a transaction, in the fastest way each database offers. */
  insertMany(manager: EntityManager, insert: Insert): Promise<void> {
    return this.backend.insert(manager, insert, this.named);
  }

  /**
   * Lets one transaction at a time have `name` across all processes, until it ends: for rules that no unique index can
   * enforce, such as a maximum count. Names may share a lock.
   */
  lock(manager: EntityManager, name: string): Promise<void> {
    return this.backend.lock(name, (sql, parameters) => this.query(sql, parameters, manager));
  }

  /** Removes from files what was erased from tables. @returns false if a read of an earlier state prevents it for the moment. */
  removeErased(): Promise<boolean> {
    return this.backend.removeErased(this.dataSource).catch(rethrowWithoutStatement);
  }

  /** Whether the schema is behind the code; null if the database does not answer in time. */
  hasPendingMigrations(timeoutMs: number): Promise<boolean | null> {
    return hasPendingMigrations(this.dataSource, timeoutMs);
  }
}
