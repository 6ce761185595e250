// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples are sources.
import { describe, expect, it } from '@jest/globals';
import { type Statement, sourceFiles, statementsOf } from '../support/statements.js';

const LEDGER = 'src/engine/ledger/';

const WRITES = [
  // A statement whose first table it is, whatever stands between.
  /\bINTO\s+webhook_trigger\b/i,
  /\bREPLACE\s+(INTO\s+)?webhook_trigger\b/i,
  /\bUPDATE\s+(OR\s+\w+\s+)?webhook_trigger\b/i,
  /\bDELETE\s+(\w+\s+)?FROM\s+webhook_trigger\b/i,
  /\bTRUNCATE\s+(TABLE\s+)?webhook_trigger\b/i,
  // MySQL writes the tables of a join.
  /\bUPDATE\b[^;]*JOIN\s+webhook_trigger\b[^;]*\bSET\b/i,
  /\bDELETE\s+\w+(\s*,\s*\w+)*\s+FROM\b[^;]*JOIN\s+webhook_trigger\b/i,
];

const isWrite = ({ text, table, entity }: Statement) =>
  table === 'webhook_trigger' || entity === 'TriggerEntity' || WRITES.some((write) => write.test(text));

const writersIn = (statements: Statement[]) => statements.filter(isWrite);

describe('the table of triggers', () => {
  it('is written by the ledger alone, whatever of the sources is read', () => {
    const found = sourceFiles('src').flatMap((file) =>
      writersIn(statementsOf(file)).map(({ line }) => `${file}:${line}`),
    );
    expect(found.filter((place) => !place.startsWith(LEDGER))).toEqual([]);
    // Claims, settlements, births, removals, replays, leases given back, and transitions.
    expect(new Set(found.map((place) => place.split(':')[0])).size).toBeGreaterThanOrEqual(7);
  });

  it.each([
    ['a statement', "query('UPDATE webhook_trigger SET status = 1')"],
    ['a template', 'query(`DELETE FROM webhook_trigger WHERE id = ${id}`)'],
    ['a constant', "const TABLE = 'webhook_trigger'; query(`UPDATE ${TABLE} SET status = 1`)"],
    [
      'constants of constants',
      "const A = 'webhook_trigger'; const B = `${A} AS t`; query(`UPDATE ${B} SET x = 1`)",
    ],
    ['a field', "class A { private t = 'webhook_trigger'; b() { return `DELETE FROM ${this.t}`; } }"],
    [
      'a field that the constructor sets',
      'class A { constructor() { this.t = `webhook_trigger ${hint}`; } b() { return `UPDATE ${this.t} SET x = 1`; } }',
    ],
    ['parts that are added', "const A = 'INSERT INTO '; query(A + 'webhook_trigger (id)')"],
    ['a join of MySQL', 'query(`UPDATE ${rows} AS j STRAIGHT_JOIN webhook_trigger AS t SET t.x = 1`)'],
    [
      'a constant of another file',
      "import { SETTLE_ONE } from '../../src/engine/ledger/settling.js'; query(`${SETTLE_ONE} AND x = 1`)",
    ],
    ['rows to insert', "const rows = { table: 'webhook_trigger', columns: [], rows: [] }"],
    ['a function that makes statements', "updateFromRows(dialect, 'webhook_trigger', {}, {}, '')"],
    ["TypeORM's manager", 'manager.update(TriggerEntity, { id }, { status })'],
    ["TypeORM's builder", 'manager.createQueryBuilder().delete().from(TriggerEntity)'],
  ])('is seen to be written by %s', (_, source) => {
    expect(writersIn(statementsOf('test/trigger/example.ts', source))).not.toEqual([]);
  });

  it.each([
    ['a query', "query('SELECT id FROM webhook_trigger')"],
    ['a lock', "query('SELECT id FROM webhook_trigger FOR UPDATE')"],
    ['another table', "query('UPDATE webhook_trigger_note SET x = 1')"],
    [
      'a subquery of another write',
      "query('DELETE FROM webhook_urgent WHERE id IN (SELECT id FROM webhook_trigger)')",
    ],
    ["TypeORM's find", 'manager.find(TriggerEntity, {})'],
  ])('is not written by %s', (_, source) => {
    expect(writersIn(statementsOf('example.ts', source))).toEqual([]);
  });
});
