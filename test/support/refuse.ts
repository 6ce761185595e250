import type { TestDatabaseKind } from './databases.js';

/**
 * Has the database refuse writes to a table.
 *
 * @param how where a condition on `NEW` and `OLD` holds, what it says (an expression), and with which error on MariaDB.
 * @returns what ends that.
 */
export async function refuse(
  database: { query(sql: string): Promise<unknown> },
  kind: TestDatabaseKind,
  [write, table]: ['INSERT' | 'UPDATE' | 'DELETE', string],
  { when = '1 = 1', text = `'refused'`, errno = 0 } = {},
): Promise<() => Promise<unknown>> {
  const state = errno ? `'HY000' SET MYSQL_ERRNO = ${errno},` : `'45000' SET`;
  const [refusal, end] =
    kind.name === 'SQLite'
      ? [`WHEN ${when} BEGIN SELECT RAISE(ABORT, ${text});`, 'END']
      : [
          `FOR EACH ROW IF ${when} THEN BEGIN DECLARE text VARCHAR(128) DEFAULT ${text};
          SIGNAL SQLSTATE ${state} MESSAGE_TEXT = text;`,
          'END; END IF',
        ];
  await database.query(`CREATE TRIGGER refuse_${table} BEFORE ${write} ON ${table} ${refusal} ${end}`);
  return () => database.query(`DROP TRIGGER refuse_${table}`);
}
