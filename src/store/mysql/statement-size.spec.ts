import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { format, type SqlValue } from 'mysql2';
import type { DataSource } from 'typeorm';
import { statementParts } from '../insert.js';
import { checkStatementSize, limitStatements, rowsLimit } from './statement-size.js';

/** What the check may count too much: of a statement, and of each value. */
const [HEAD, EACH] = [100, 30];

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.nat(300).map((length) => '"'.repeat(length)),
  fc.json(),
);
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const value = fc.oneof(
  text,
  bytes,
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);
const rows = fc.array(fc.array(value, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 20 });

/** In bytes. */
const written = (sql: string, parameters: unknown[]) =>
  Buffer.byteLength(format(sql, parameters as SqlValue[]));

function limited(limit: number): DataSource {
  const dataSource = {} as DataSource;
  limitStatements(dataSource, limit);
  return dataSource;
}

function fits(limit: number, sql: string, parameters: unknown[]): boolean {
  try {
    checkStatementSize(limited(limit), { sql, parameters });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 413, code: 'body_too_large' });
    return false;
  }
}

describe('the size of a statement', () => {
  it('is judged as the driver writes it', () => {
    fc.assert(
      fc.property(fc.constantFrom('SELECT ?, ?', 'SELECT "ü", ?, ?'), text, rows, (sql, first, second) => {
        const size = written(sql, [first, second]);
        const spare = HEAD + EACH * second.flat().length;
        expect(fits(size, sql, [first, second])).toBe(false);
        expect(fits(size + spare, sql, [first, second])).toBe(true);
      }),
    );
  });

  it('is within the limit for each part of rows that has more than one', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 500, max: 5000 }), (all, limit) => {
        const parts = [...statementParts(all, rowsLimit(limited(limit)))];
        expect(parts.flat()).toEqual(all);
        for (const part of parts.filter(({ length }) => length > 1))
          expect(written('?', [part])).toBeLessThan(limit);
      }),
    );
  });

  it('is not judged before the limit is known', () => {
    checkStatementSize({} as DataSource, { sql: 'SELECT ?', parameters: ['a'.repeat(1e6)] });
    expect(rowsLimit({} as DataSource)).toBe(Number.POSITIVE_INFINITY);
  });
});
