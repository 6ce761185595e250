import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { until } from '../support/until.js';

/** Resolves once an error with this text has been logged so often. */
export async function logged(text: RegExp, times = 1): Promise<void> {
  const log = jest.spyOn(Logger.prototype, 'error');
  const found = () => log.mock.calls.filter(([message]) => text.test(message)).length;
  await until(() => found() >= times, { what: `${text} in the log` });
  log.mockRestore();
}
