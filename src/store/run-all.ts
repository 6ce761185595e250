import type { EntityManager } from 'typeorm';
import { dialectOf } from './columns.js';
import type { Statement } from './insert.js';
import { sqliteAll } from './sqlite/sqlite-serial.js';

/** What a statement read, or how many rows it changed. */
export interface Answer {
  rows: unknown[];
  changes: number;
}

/** Runs statements up to the first that fails, in the manager's transaction; on SQLite in one message to its thread. */
export async function runAll(manager: EntityManager, statements: Statement[]): Promise<Answer[]> {
  const { dataSource } = manager;
  const answers: Answer[] = [];
  if (dialectOf(dataSource) === 'sqlite')
    for (const { rows, changes } of await sqliteAll(dataSource, statements))
      answers.push({ rows: rows ?? [], changes });
  else
    for (const { sql, parameters } of statements) {
      const answer = await manager.query<unknown[] | { affectedRows: number }>(sql, parameters);
      answers.push(
        Array.isArray(answer) ? { rows: answer, changes: 0 } : { rows: [], changes: answer.affectedRows },
      );
    }
  return answers;
}
