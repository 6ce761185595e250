import { afterEach, beforeEach, expect, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { isAboutData } from '../../src/platform/database-error.js';
import { Vault } from '../../src/platform/secret/vault.js';
import type { TestService } from '../support/service.js';

/** No JSON, or JSON of another form than any column holds. */
const NO_JSON = ['', '{"a":', 'null', '5', '[1,{}]', '{"a":{"b":[null]}}', '[['.repeat(50), '\ufffd'];
/** What no key has sealed, or no longer. */
const NOT_SEALED = ['', '.', 'test.!!', `test.${'A'.repeat(64)}`, `gone.${'A'.repeat(64)}`];

/** Rows whose columns hold what the service did not write there. */
export function useDamage(service: TestService) {
  let errors: jest.SpiedFunction<Logger['error']>;
  beforeEach(() => {
    errors = jest.spyOn(Logger.prototype, 'error');
  });
  afterEach(() => errors.mockRestore());
  return {
    /** What the column may hold: values of no column, and those that only this one cannot hold. */
    values: (more: string[] = []) => [...NO_JSON, ...more],
    /** The same for a column that is encrypted for this id. */
    sealedValues(id: string, more: string[] = []) {
      const vault = service.get(Vault);
      return [...NOT_SEALED, ...[...NO_JSON, ...more].map((text) => vault.seal(text, id))];
    },
    /** @returns false if the database does not take the value: then no row can hold it. */
    async set(sql: string, parameters: unknown[]) {
      try {
        await service.query(sql, parameters);
      } catch (error) {
        if (isAboutData(error)) return false;
        throw error;
      }
      service.get(QueueSignals).emit('webhookChanged', String(parameters.at(-1)));
      return true;
    },
    /** Nothing was logged twice of this row. */
    expectToldOnce(row: string) {
      const told = errors.mock.calls
        .map(([message]) => String(message))
        .filter((one) => one.includes(`of ${row}`));
      expect(told).toEqual([...new Set(told)]);
    },
  };
}
