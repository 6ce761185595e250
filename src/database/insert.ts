/** Keeps a statement under MariaDB's packet limit of 16 MiB: it sends bytes as hexadecimal digits, two for each. */
const MAX_STATEMENT_BYTES = 4 * 1024 * 1024;
/** Writing more rows at a time would block the event loop. */
const MAX_STATEMENT_ROWS = 500;

/** Rows to insert into a table; each row holds the values of `columns`, in their order. */
export interface Insert {
  table: string;
  columns: string[];
  rows: unknown[][];
}

/** The statement that inserts one row. */
export const insertOne = (table: string, columns: string[]) =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;

/** Splits rows into parts that each fit into one statement. */
export function* statementParts(rows: unknown[][]): Generator<unknown[][]> {
  let part: unknown[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = row.reduce<number>((sum, value) => sum + sizeOf(value), 0);
    if (part.length === MAX_STATEMENT_ROWS || (part.length > 0 && bytes + size > MAX_STATEMENT_BYTES)) {
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
