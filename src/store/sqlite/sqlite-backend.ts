import type { Backend } from '../backend.js';
import { checkInTransaction } from '../in-transaction.js';
import { insertOne, statementParts } from '../insert.js';
import { ownTransaction } from '../own-manager.js';
import { sqliteColumns } from './sqlite-columns.js';
import { emptyJournal, overwriteDeleted } from './sqlite-erasure.js';
import { lockSqlite } from './sqlite-lock.js';
import { serialiseSqlite, sqliteAll, sqliteEach } from './sqlite-serial.js';
import { sqliteSql } from './sqlite-sql.js';

/** A file of this process, or memory. One transaction runs at a time. */
export const sqliteBackend: Backend = {
  sql: sqliteSql,
  columns: sqliteColumns,
  parallelCommits: 1,
  hasOneProcess: true,
  isFile: true,
  runsScripts: true,
  attach: serialiseSqlite,
  /** A data source that the host opened is not locked yet, and keeps what is deleted. */
  async prepare(dataSource) {
    lockSqlite(dataSource);
    await overwriteDeleted(dataSource);
  },
  transaction: ownTransaction,
  rowsLimit: () => Number.POSITIVE_INFINITY,
  checkSize() {},
  /** With no turn of the event loop between them. */
  async all({ dataSource }, statements) {
    const answers = await sqliteAll(dataSource, statements);
    return answers.map(({ rows, changes }) => ({ rows: rows ?? [], changes }));
  },
  async insert(manager, insert, named) {
    const one = named(insertOne(insert));
    for (const part of statementParts(insert.rows)) {
      // It writes past the manager: after the end of its transaction, into that of somebody else.
      checkInTransaction(manager);
      await sqliteEach(manager.dataSource, one, part);
    }
  },
  async lock() {},
  removeErased: emptyJournal,
};
