import { COMBINATIONS } from './filter.js';

export type Plain = Record<string, unknown>;

/** Whether it is an object, and no instance of a class such as Date. */
export function isPlain(value: unknown): value is Plain {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || (Object.getPrototypeOf(prototype) === null && !Array.isArray(value));
}

export const isOperator = (name: string) => name.startsWith('$');

/** Whether an object holds comparisons, and not a filter. */
export function isOperators(value: unknown): value is Plain {
  if (!isPlain(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.every(([name, operand]) =>
      name === '$not' ? isOperators(operand) : isOperator(name) && name !== '$and' && name !== '$or',
    )
  );
}

export function isDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((inner) => isDeeper(inner, limit - 1));
}

/** Counts operators, and fields that are compared without one. */
export function conditionsOf(filter: Plain): number {
  let count = 0;
  for (const [name, value] of Object.entries(filter)) {
    const parts = [value].flat().filter(isPlain);
    const hasOperators = parts.some((part) => Object.keys(part).some(isOperator));
    if (isOperator(name)) {
      count += 1;
      const isOfConditions = name === '$elemMatch' || (COMBINATIONS as readonly string[]).includes(name);
      if (isOfConditions) for (const part of parts) count += conditionsOf(part);
    } else if (isPlain(value) && hasOperators) count += conditionsOf(value);
    else count += 1;
  }
  return count;
}
