import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { sourceFiles, statementsOf } from '../support/statements.js';

/** SQL that only one of the databases understands, or that each says in its own way. */
const OF_ONE_DATABASE =
  /\b(FORCE INDEX|INDEXED BY|STRAIGHT_JOIN|SKIP LOCKED|LOCK IN SHARE MODE|ON DUPLICATE KEY|ON CONFLICT|INSERT IGNORE|OR IGNORE|REPLACE INTO|LAST_INSERT_ID|JSON_TABLE|json_each|json_extract|julianday|RETURNING|GREATEST|GROUP_CONCAT|FOR UPDATE|FOR SHARE|UTC_TIMESTAMP|unixepoch|CONCAT|IF)\b(?! (?:NOT )?EXISTS)/;

/** Whole transactions that are written in another way for each database. No other may join them. */
const WRITTEN_TWICE = [
  'src/auth/limits/rate-limit.repository.ts',
  'src/engine/counts/statistic-delta.repository.ts',
  'src/engine/ledger/claiming.ts',
  'src/engine/queue/queue.repository.ts',
  'src/engine/queue/rate-slots.repository.ts',
  'src/engine/settle/script-settlement.repository.ts',
];

const others = sourceFiles('src').filter((file) => !file.startsWith('src/store/'));

describe('What differs by database', () => {
  it('is asked for in the store alone: no other room knows which database it is', () => {
    const asked = /dialect|options\.type/i;
    expect(others.filter((file) => asked.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('is written in the store alone, but for a few transactions', () => {
    const writing = others.filter((file) =>
      statementsOf(file).some(({ text }) => OF_ONE_DATABASE.test(text)),
    );
    expect(writing).toEqual(WRITTEN_TWICE);
  });
});
