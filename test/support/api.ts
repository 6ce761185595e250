import { expect } from '@jest/globals';
import type { Answer } from './call.js';

export const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** An id that no object has. */
export const NO_ID = '0199aa2e-7d5c-7c3e-9d0b-0c7e5a1f3b42';
export const MASK = '********';

/** Asserts RFC 9457 problem details that reveal no internals. @param pointers all the bad fields. */
export function expectProblem(answer: Answer, status: number, code: string, pointers?: string[]): void {
  const { body } = answer;
  expect({ status: answer.status, ...body }).toMatchObject({ status, code });
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
  expect(body).toMatchObject({
    type: expect.any(String),
    title: expect.stringMatching(/\w/),
    status,
    detail: expect.stringMatching(/\w/),
    instance: expect.stringMatching(/^\//),
  });
  const known = ['type', 'title', 'status', 'detail', 'instance', 'code', 'errors'];
  expect(Object.keys(body).filter((key) => !known.includes(key))).toEqual([]);
  expect(body.detail).not.toMatch(/\bat .*:\d+|\bselect\b|sqlite|node_modules|\.[jt]s\b|FST_/i);
  if (!pointers) return;
  const named = body.errors?.map((error: { pointer: string }) => error.pointer).sort();
  expect(named).toEqual([...pointers].sort());
}
