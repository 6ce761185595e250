import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { isLostRace, tell, withoutStatement } from '../common/database-error.js';
import { type Failpoint, failpoint } from '../common/failpoint.js';
import { AfterCommit } from './after-commit.js';
import { type Dialect, dialectOf } from './columns.js';
import { committing } from './committing.js';
import { type Insert, insertOne, statementParts } from './insert.js';
import { closeInTime } from './mysql-bounds.js';
import { runScript, type Script } from './sqlite/script.js';
import { lockSqlite } from './sqlite/sqlite-lock.js';
import { serialiseSqlite, sqliteEach } from './sqlite/sqlite-serial.js';
import type { ScriptAnswer } from './sqlite/sqlite-session.js';
import { tablePrefixOf, withTablePrefix } from './table-prefix.js';

const MAX_RUNS = 5;
const LOCK_SECONDS = 4;
/** For the statements of a host that opened the data source itself, to end when it is closed. */
const HOST_CLOSE_MS = 5000;
/** What SQLite, MariaDB and MySQL say of a database without any migration. */
const MISSING_TABLE = /no such table|Table '.*' doesn't exist/;

/** The one database of the service: SQL for the queue's hot path, TypeORM's manager for everything else. */
@Injectable()
export class Database implements OnModuleInit {
  readonly dialect: Dialect;
  private readonly tablePrefix: string;
  /** Statements name tables without their prefix. */
  private readonly named: (sql: string) => string;
  private readonly afterCommit: AfterCommit;

  constructor(readonly dataSource: DataSource) {
    this.tablePrefix = tablePrefixOf(dataSource);
    this.named = withTablePrefix(this.tablePrefix);
    this.afterCommit = new AfterCommit(dataSource);
    this.dialect = dialectOf(dataSource);
    serialiseSqlite(dataSource);
    closeInTime(dataSource, HOST_CLOSE_MS);
  }

  /** Before the engine starts: a data source that a host opened himself has nothing yet that keeps others away. */
  onModuleInit(): void {
    lockSqlite(this.dataSource);
  }

  /** How many transactions are worth having under way at once for the same work: one waits for the disk meanwhile. */
  get parallelCommits(): number {
    return this.dialect === 'sqlite' ? 1 : 2;
  }

  private get manager(): EntityManager {
    return this.dataSource.manager;
  }

  /** Runs `work` by itself. What fails holds nothing of the statement, whoever catches it. */
  async run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await work(this.manager);
    } catch (error) {
      throw withoutStatement(error);
    }
  }

  query<T>(sql: string, parameters: unknown[] = [], manager = this.manager): Promise<T> {
    return manager.query<T>(this.named(sql), parameters).catch(tell);
  }

  /**
   * Runs `work` in a transaction of its own, READ COMMITTED where there is a choice: under REPEATABLE READ an open
   * claim locks gaps and holds up inserts. Run again where the database chose it as a deadlock's victim. Of a call that
   * has been refused meanwhile, nothing is committed.
   *
   * @throws OutcomeUnknownError where the commit was not answered
   */
  async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    for (let run = 1; ; run++) {
      try {
        return await committing(work, (inside) =>
          this.dialect === 'mysql'
            ? this.manager.transaction('READ COMMITTED', inside)
            : this.manager.transaction(inside),
        );
      } catch (error) {
        if (run === MAX_RUNS || !isLostRace(error)) throw withoutStatement(error);
      }
    }
  }

  /**
   * Whether the manager is inside a transaction that its owner has begun.
   *
   * @throws Error where it is not of this database.
   */
  isInTransaction({ dataSource, queryRunner }: EntityManager): boolean {
    if (dataSource === this.dataSource) return queryRunner?.isTransactionActive ?? false;
    throw new Error('The EntityManager is of another data source than the one that holds the webhooks.');
  }

  /** Calls `run` when the transaction that the manager is inside of is committed; not where it is rolled back. */
  onCommit({ queryRunner }: EntityManager, run: () => void): void {
    if (queryRunner) this.afterCommit.add(queryRunner, run);
  }

  /** Runs the steps as one transaction on SQLite, without a turn of the event loop between them. */
  script(script: Script): Promise<ScriptAnswer> {
    const named = script.map((step) =>
      typeof step === 'string' ? step : { ...step, sql: this.named(step.sql) },
    );
    return runScript(this.dataSource, named).catch(tell);
  }

  /** Inserts the rows of each table, all in one transaction, and passes the failpoints between them. */
  async insertTogether(steps: (Insert | Failpoint)[]): Promise<void> {
    if (this.dialect === 'sqlite') {
      await this.script(steps.map((step) => (typeof step === 'string' ? step : insertStep(step))));
      return;
    }
    await this.transaction(async (manager) => {
      for (const step of steps)
        if (typeof step === 'string') failpoint(step);
        else await this.insertMany(manager, step);
    });
  }

  /** Inserts rows inside a transaction, the fastest way there is on each database. */
  async insertMany(manager: EntityManager, { table, columns, rows }: Insert): Promise<void> {
    if (this.dialect === 'sqlite') {
      const one = this.named(insertOne(table, columns));
      for (const part of statementParts(rows)) await sqliteEach(this.dataSource, one, part);
      return;
    }
    const many = `INSERT INTO ${this.named(table)} (${columns.join(', ')}) VALUES ?`;
    for (const part of statementParts(rows)) await manager.query(many, [part]);
  }

  /**
   * Like {@link transaction}, but one at a time for each `name`, over all processes: for rules that no unique index
   * can hold, such as a count.
   */
  async exclusive<T>(name: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    // SQLite runs one transaction at a time anyway.
    if (this.dialect === 'sqlite') return this.transaction(work);
    const runner = this.dataSource.createQueryRunner();
    // Lock names are server-wide and at most 64 characters.
    const lock = createHash('sha256')
      .update(`${this.dataSource.options.database} ${this.tablePrefix}${name}`)
      .digest('hex');
    try {
      const [{ held }] = await runner.query(`SELECT GET_LOCK(?, ${LOCK_SECONDS}) AS held`, [lock]);
      if (Number(held) !== 1)
        throw Object.assign(new Error(`No lock on "${name}"`), {
          code: 'ER_LOCK_WAIT_TIMEOUT',
          errno: 1205,
        });
      return await committing(work, (inside) => runner.manager.transaction('READ COMMITTED', inside));
    } catch (error) {
      throw withoutStatement(error);
    } finally {
      await runner.query('SELECT RELEASE_LOCK(?)', [lock]).catch(() => undefined);
      await runner.release();
    }
  }

  /** Whether the schema is behind the code; null where the database does not answer in time. */
  async hasPendingMigrations(timeoutMs: number): Promise<boolean | null> {
    const timeout = new Promise<null>((resolve) => setTimeout(resolve, timeoutMs, null).unref());
    const asked = this.appliedMigrations().then(
      (applied) => this.dataSource.migrations.some(({ name = '' }) => !applied.has(name)),
      () => null,
    );
    return Promise.race([asked, timeout]);
  }

  private async appliedMigrations(): Promise<Set<string>> {
    const table = this.dataSource.options.migrationsTableName ?? 'migrations';
    try {
      // Whoever made the data source named this table: no prefix of ours is before it.
      const rows = await this.manager.query<{ name: string }[]>(`SELECT name FROM ${table}`);
      return new Set(rows.map(({ name }) => name));
    } catch (error) {
      if (MISSING_TABLE.test((error as Error).message)) return new Set();
      throw error;
    }
  }
}

const insertStep = ({ table, columns, rows }: Insert) => ({ sql: insertOne(table, columns), rows });
