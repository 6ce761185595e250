import type { DataSource, EntityManager } from 'typeorm';
import type { Answer, Backend } from '../backend.js';
import { insertAll, type Statement, statementParts } from '../insert.js';
import { ownTransaction } from '../own-manager.js';
import { DemotedNodes } from './demoted-nodes.js';
import { HalfTransactions } from './half-transactions.js';
import { closeInTime, isReadCommitted } from './mysql-bounds.js';
import { mysqlColumns } from './mysql-columns.js';
import { mysqlSql } from './mysql-sql.js';
import { lockNumberOf, TAKE_LOCK } from './named-lock.js';
import { checkStatementSize, rowsLimit } from './statement-size.js';

/** How long closing a data source that the host opened waits for running statements. */
const HOST_CLOSE_MS = 5000;

const attached = new WeakSet<DataSource>();

/** A server of MySQL or MariaDB, or a cluster of them. */
export const mysqlBackend: Backend = {
  sql: mysqlSql,
  columns: mysqlColumns,
  parallelCommits: 2,
  hasOneProcess: false,
  isFile: false,
  runsScripts: false,
  attach(dataSource) {
    if (attached.has(dataSource)) return;
    attached.add(dataSource);
    dataSource.subscribers.push(new HalfTransactions(), new DemotedNodes());
    closeInTime(dataSource, HOST_CLOSE_MS);
  },
  async prepare() {},
  /** Under REPEATABLE READ an open claim locks gaps and blocks inserts. */
  transaction: (dataSource, work) =>
    ownTransaction(dataSource, work, isReadCommitted(dataSource) ? undefined : 'READ COMMITTED'),
  rowsLimit,
  checkSize: checkStatementSize,
  async all(manager, statements) {
    const answers: Answer[] = [];
    for (const statement of statements) answers.push(await answerOf(manager, statement));
    return answers;
  },
  async insert(manager, insert, named) {
    const many = named(insertAll(insert));
    const { dataSource } = manager;
    for (const part of statementParts(insert.rows, rowsLimit(dataSource))) {
      // Several fit.
      if (part.length === 1) checkStatementSize(dataSource, { sql: many, parameters: [part] });
      await manager.query(many, [part]);
    }
  },
  /**
   * A row is written, and not only locked, nor GET_LOCK called: on the nodes of a Galera cluster, which know nothing of each
   * other's locks, the second of two transactions that write it then fails when it commits, and runs again.
   */
  async lock(name, query) {
    await query(TAKE_LOCK, [lockNumberOf(name)]);
  },
  /** A server has settings of its own for that. */
  removeErased: async () => true,
};

async function answerOf(manager: EntityManager, { sql, parameters }: Statement): Promise<Answer> {
  const answer = await manager.query<unknown[] | { affectedRows: number }>(sql, parameters);
  return Array.isArray(answer) ? { rows: answer, changes: 0 } : { rows: [], changes: answer.affectedRows };
}
