import { invalid } from '../platform/problem.js';

const WITH_BODY = ['POST', 'PUT', 'PATCH'];

/**
 * Refuses query parameters on a call that takes its input from its body.
 *
 * @throws Problem 400 `validation_failed`
 */
export function refuseQuery({ method, query }: { method: string; query?: unknown }): void {
  if (!WITH_BODY.includes(method)) return;
  const names = Object.keys(query ?? {});
  if (names.length === 0) return;
  throw invalid(names.map((name) => ({ pointer: `?${name}`, message: 'is not a known field' })));
}
