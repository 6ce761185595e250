// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples are sources.
import { describe, expect, it } from '@jest/globals';
import { type Statement, sourceFiles, statementsOf, writes } from '../support/statements.js';

const LEDGER = 'src/engine/ledger/';

/** Who names the table alone, and locks or reads its rows. Whoever else does may pass the name on to something that writes. */
const NAME_IT = [
  'src/engine/leases/lease-recovery.repository.ts',
  'src/engine/settle/batch-settlement.repository.ts',
  'src/engine/settle/requeue.repository.ts',
  'src/retention/removal.repository.ts',
  'src/store/tables/trigger/trigger.entity.ts',
];

const isWrite = writes('webhook_trigger', 'TriggerEntity');
const isName = ({ text }: Statement) => /^\s*["`]?webhook_trigger["`]?\s*$/.test(text);

const writersIn = (statements: Statement[]) => statements.filter(isWrite);

describe('the table of triggers', () => {
  it('is written by the ledger alone, whatever of the sources is read', () => {
    const found = sourceFiles('src').flatMap((file) =>
      writersIn(statementsOf(file)).map(({ line }) => `${file}:${line}`),
    );
    expect(found.filter((place) => !place.startsWith(LEDGER))).toEqual([]);
    // Claims, settlements, births, removals, replays, requeues, and transitions.
    expect(new Set(found.map((place) => place.split(':')[0])).size).toBeGreaterThanOrEqual(7);
  });

  it('is named alone by nobody who might pass its name on', () => {
    const named = sourceFiles('src').filter((file) => statementsOf(file).some(isName));
    expect(named.filter((file) => !file.startsWith(LEDGER))).toEqual(NAME_IT);
  });

  it.each([
    "query(`${sql.deleteByKey('webhook_trigger')} WHERE id = ?`)",
    'query(`${database.sql.insertIgnore} webhook_trigger (id) VALUES (?)`)',
    'const { insertIgnore } = sql; query(`${insertIgnore} webhook_trigger (id)`)',
    "query('UPDATE webhook AS w, webhook_trigger AS t SET t.x = 1')",
    "query('UPDATE `webhook_trigger` SET x = 1')",
    "query('UPDATE IGNORE webhook_trigger SET x = 1')",
    "query('DELETE FROM t USING webhook_trigger AS t')",
    'manager.getRepository(TriggerEntity).update({}, {})',
    "manager.createQueryBuilder(TriggerEntity, 't').update()",
    'manager.save(Object.assign(new TriggerEntity(), row))',
    "query('UPDATE webhook_trigger SET status = 1')",
    'query(`DELETE FROM webhook_trigger WHERE id = ${id}`)',
    "const TABLE = 'webhook_trigger'; query(`UPDATE ${TABLE} SET status = 1`)",
    "const A = 'webhook_trigger'; const B = `${A} AS t`; query(`UPDATE ${B} SET x = 1`)",
    "class A { private t = 'webhook_trigger'; b() { return `DELETE FROM ${this.t}`; } }",
    'class A { constructor() { this.t = `webhook_trigger ${hint}`; } b() { return `UPDATE ${this.t} SET x = 1`; } }',
    "const A = 'INSERT INTO '; query(A + 'webhook_trigger (id)')",
    'query(`UPDATE ${rows} AS j STRAIGHT_JOIN webhook_trigger AS t SET t.x = 1`)',
    "import { SETTLE_ONE } from '../../src/engine/ledger/settling.js'; query(`${SETTLE_ONE} AND x = 1`)",
    "const rows = { table: 'webhook_trigger', columns: [], rows: [] }",
    "sql.updateFromRows('webhook_trigger', {}, {}, '')",
    'manager.update(TriggerEntity, { id }, { status })',
    'manager.createQueryBuilder().delete().from(TriggerEntity)',
  ])('is seen to be written by %s', (source) => {
    expect(writersIn(statementsOf('test/trigger/example.ts', source))).not.toEqual([]);
  });

  it.each([
    "query('SELECT id FROM webhook_trigger')",
    "query('SELECT id FROM webhook_trigger FOR UPDATE')",
    "query('UPDATE webhook_trigger_note SET x = 1')",
    "query('DELETE FROM webhook_urgent WHERE id IN (SELECT id FROM webhook_trigger)')",
    'manager.find(TriggerEntity, {})',
  ])('is not written by %s', (source) => {
    expect(writersIn(statementsOf('example.ts', source))).toEqual([]);
  });
});
