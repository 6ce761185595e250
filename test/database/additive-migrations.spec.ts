import { describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { webhookMigrations } from '../../migrations/index.js';

/** The statements that instances of the version before neither see nor need. Columns must do without a value from them. */
const ADDITIVE = /^\s*(CREATE TABLE|CREATE (UNIQUE )?INDEX|ALTER TABLE \S+ ADD (COLUMN|INDEX))\b/i;
const COLUMN = /\bADD COLUMN\b/i;
const HAS_VALUE = /\bDEFAULT\b|(?<!NOT )\bNULL\b/i;

const survives = (sql: string) => ADDITIVE.test(sql) && (!COLUMN.test(sql) || HAS_VALUE.test(sql));

describe.each(['mysql', 'better-sqlite3'])('the migrations on %s', (type) => {
  it.each(webhookMigrations.map((Migration) => [Migration.name, Migration] as const))(
    'can run while instances of the version before are at work: %s',
    async (_name, Migration) => {
      const statements: string[] = [];
      const runner = {
        dataSource: { options: { type }, hasMetadata: () => false },
        query: async (sql: string) => {
          statements.push(sql);
        },
      };
      await new Migration().up(runner as unknown as QueryRunner);
      expect(statements.length).toBeGreaterThan(0);
      expect(statements.filter((sql) => !survives(sql))).toEqual([]);
    },
  );
});

describe('the look for migrations that old instances do not survive', () => {
  it.each([
    'ALTER TABLE webhook DROP COLUMN name',
    'ALTER TABLE webhook ADD COLUMN more varchar(3) NOT NULL',
    'ALTER TABLE webhook MODIFY name varchar(3)',
    'DROP INDEX a ON webhook',
    'UPDATE webhook SET name = 1',
  ])('finds %s', (sql) => {
    expect(survives(sql)).toBe(false);
  });

  it.each([
    'ALTER TABLE webhook ADD COLUMN more integer NOT NULL DEFAULT 0',
    'ALTER TABLE webhook ADD COLUMN more text NULL',
  ])('lets %s pass', (sql) => {
    expect(survives(sql)).toBe(true);
  });
});
