import { afterAll, beforeAll } from '@jest/globals';
import { callDeadline } from '../../src/platform/call.js';

const DAY_MS = 24 * 3_600_000;
/** The product's own, in milliseconds. */
const USUAL_DEADLINE_MS = callDeadline.ms;

/** How long the calls of every service in this process may wait, in milliseconds. @returns a function that undoes this. */
export function setCallDeadline(ms: number): () => void {
  const before = callDeadline.ms;
  callDeadline.ms = ms;
  return () => {
    callDeadline.ms = before;
  };
}

/** The same for all tests of a block. */
export function useCallDeadline(ms: number): void {
  let undo = () => {};
  beforeAll(() => {
    undo = setCallDeadline(ms);
  });
  afterAll(() => undo());
}

/** For tests of what a database does that does not answer. */
export const useUsualCallDeadline = () => useCallDeadline(USUAL_DEADLINE_MS);

/** A busy machine may keep a call waiting for as long as a database that does not answer. */
export const useNoCallDeadline = () => useCallDeadline(DAY_MS);
