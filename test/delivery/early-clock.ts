import { afterAll, beforeAll } from '@jest/globals';
import { EarlyClock, useClock } from '../support/clock.js';

/** The clock of every service that the block starts from now on. It stands still until it is advanced. */
export function useEarlyClock(): EarlyClock {
  const clock = new EarlyClock();
  let restore = () => {};
  beforeAll(() => {
    restore = useClock(clock);
  });
  afterAll(() => restore());
  return clock;
}
