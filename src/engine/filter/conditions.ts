import { jsonPointer } from '../../platform/json/json-pointer.js';
import type { Unmatched } from './filter.js';
import { type Budget, someAt, type ValueTest } from './values.js';

/** A filter that is ready to judge records. */
export type CompiledFilter = (data: unknown, budget: Budget) => Unmatched;

/** One condition: names itself if it does not hold. */
export type Condition = CompiledFilter;

/** In place of what does not compile. */
export const NEVER: Condition = () => '';

export const PASSES = {
  $gt: (found: number) => found > 0,
  $gte: (found: number) => found >= 0,
  $lt: (found: number) => found < 0,
  $lte: (found: number) => found <= 0,
};

export function onPath(path: string[], test: ValueTest, at: string[]): Condition {
  const pointer = jsonPointer(at);
  return (data, budget) => (someAt(data, path, test, budget) ? null : pointer);
}

export function not(condition: Condition, at: string[]): Condition {
  const pointer = jsonPointer(at);
  return (data, budget) => (condition(data, budget) === null ? pointer : null);
}

export function any(conditions: Condition[], at: string[]): Condition {
  const pointer = jsonPointer(at);
  return (data, budget) =>
    conditions.some((condition) => condition(data, budget) === null) ? null : pointer;
}

export function all(conditions: Condition[]): Condition {
  const [only] = conditions;
  if (only && conditions.length === 1) return only;
  return (data, budget) => {
    for (const condition of conditions) {
      const unmatched = condition(data, budget);
      if (unmatched !== null) return unmatched;
    }
    return null;
  };
}
