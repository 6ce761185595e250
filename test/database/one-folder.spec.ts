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

/** What an application may have answer for the transaction that is open in the context of whoever asks. */
const OF_ANYBODY =
  /\b(dataSource|source)\)?\.(manager|query|transaction|createQueryBuilder|getRepository)\b|getRepository\(/;

/** One tells an application of it, the other marks what that does in its own transactions. */
const ABOUT_ITS_OWN = ['src/store/in-transaction.ts', 'src/store/sqlite/sqlite-serial.ts'];

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

describe('What the service itself does with a database', () => {
  it('runs on query runners of its own, and never by what belongs to whoever asks', () => {
    const sources = sourceFiles('src').map(
      (file) => [file, withoutComments(readFileSync(file, 'utf8'))] as const,
    );
    expect(sources.filter(([, text]) => OF_ANYBODY.test(text)).map(([file]) => file)).toEqual(ABOUT_ITS_OWN);
  });
});

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
