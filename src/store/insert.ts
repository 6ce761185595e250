import type { Failpoint } from '../platform/failpoint.js';

/** Keeps a statement under MariaDB's packet limit of 16 MiB: it sends bytes as hexadecimal digits, two for each. */
const MAX_STATEMENT_BYTES = 4 * 1024 * 1024;
/** Writing more rows at a time would block the event loop. */
const MAX_STATEMENT_ROWS = 500;

/** Rows to insert into a table; each row holds the values of `columns`, in their order. */
export interface Insert {
  table: string;
  columns: string[];
  rows: unknown[][];
  /** A column in which a row that is there already gets the new value. Without it such a row is an error. */
  renewed?: string;
}

/** A statement that changes rows, or locks them. */
export interface Statement {
  sql: string;
  parameters: unknown[];
}

/** What MySQL answers to it. */
export interface Changed {
  affectedRows: number;
}

/** A step of a transaction. The failpoints are passed between the others. */
export type WriteStep = Insert | Statement | Failpoint;

export const isInsert = (step: WriteStep): step is Insert => typeof step !== 'string' && 'rows' in step;

/** How many statements the steps are on MySQL. @param maxBytes as of {@link statementParts}. */
export const countStatements = (steps: WriteStep[], maxBytes: number) =>
  steps.reduce((sum, step) => {
    if (typeof step === 'string') return sum;
    return sum + (isInsert(step) ? [...statementParts(step.rows, maxBytes)].length : 1);
  }, 0);

/** The statement that inserts one row, on SQLite. */
export const insertOne = ({ table, columns, renewed }: Insert) =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})${
    renewed ? ` ON CONFLICT DO UPDATE SET ${renewed} = excluded.${renewed}` : ''
  }`;

/** The step of a script that inserts the rows, on SQLite. */
export const insertStep = (insert: Insert) => ({ sql: insertOne(insert), rows: insert.rows });

/** The statement that inserts many rows, on MySQL. */
export const insertAll = ({ table, columns, renewed }: Insert) =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES ?${
    renewed ? ` ON DUPLICATE KEY UPDATE ${renewed} = VALUES(${renewed})` : ''
  }`;

/**
 * Splits rows into parts that each fit into one statement, unless a single row does not.
 *
 * @param maxBytes what the values of a part may take. @default 4 MiB, which is also the most
 */
export function* statementParts(rows: unknown[][], maxBytes = MAX_STATEMENT_BYTES): Generator<unknown[][]> {
  const most = Math.min(maxBytes, MAX_STATEMENT_BYTES);
  let part: unknown[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = row.reduce<number>((sum, value) => sum + sizeOf(value), 0);
    if (part.length === MAX_STATEMENT_ROWS || (part.length > 0 && bytes + size > most)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(row);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

const sizeOf = (value: unknown) =>
  typeof value === 'string' || Buffer.isBuffer(value) ? value.length + 3 : 24;
