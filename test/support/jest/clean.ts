import { afterAll } from '@jest/globals';
import fc from 'fast-check';
import { callDeadline } from '../../../src/platform/call.js';
import { systemClock } from '../../../src/platform/clock.js';
import { armFailpoint } from '../../../src/platform/failpoint.js';
import { SEED } from '../seed.js';

fc.configureGlobal({ seed: SEED });

// A worker runs many specs in one process, and none may find what another one did to it.
const clock = { ...systemClock };
const deadline = { ...callDeadline };
afterAll(() => {
  Object.assign(systemClock, clock);
  Object.assign(callDeadline, deadline);
  armFailpoint(undefined);
});
