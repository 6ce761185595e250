import { afterAll, beforeAll } from '@jest/globals';
import { callDeadline } from '../../src/platform/call.js';

/** How long the calls of every service in this process may wait, in milliseconds. */
export function useCallDeadline(ms: number): void {
  const before = callDeadline.ms;
  beforeAll(() => {
    callDeadline.ms = ms;
  });
  afterAll(() => {
    callDeadline.ms = before;
  });
}
