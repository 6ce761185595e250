import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { TestClock } from '../../../module/testing/test-clock.js';
import { HealthNotes } from './health-notes.js';

const HOUR_MS = 3_600_000;
const AWAY = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

describe('a note that cannot be stored', () => {
  let clock: TestClock;
  let notes: HealthNotes;
  let tries: number;
  const failing = async () => {
    tries++;
    throw AWAY;
  };

  beforeEach(() => {
    clock = new TestClock();
    notes = new HealthNotes(clock);
    tries = 0;
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is written again', async () => {
    await notes.add('webhook', { write: failing });
    expect(tries).toBe(1);
    clock.advance(HOUR_MS);
    await Promise.resolve();
    expect(tries).toBe(2);
  });

  it('is not once the service has stopped, when its connections are closed', async () => {
    await notes.add('webhook', { write: failing });
    notes.beforeApplicationShutdown();
    clock.advance(HOUR_MS);
    await Promise.resolve();
    expect(tries).toBe(1);
    expect(Logger.prototype.error).toHaveBeenCalledTimes(1);
  });
});
