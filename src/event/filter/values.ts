import { numberOf, stringOf } from '../../common/json/exact-json.js';

/** Bounds the time that a filter may take, in values looked at. Once it is exceeded, no result counts. */
export class Budget {
  spent = 0;

  constructor(private readonly limit: number) {}

  get isExceeded(): boolean {
    return this.spent > this.limit;
  }

  /** @returns false if nothing more may be looked at. */
  spend(): boolean {
    return ++this.spent <= this.limit;
  }
}

/** Judges one value; undefined stands for a field that is not there. */
export type ValueTest = (value: unknown, budget: Budget) => boolean;

/**
 * Whether any value at a path passes. A path leads into the elements of an array, and to one of them by its index. Where it
 * leads nowhere, undefined is judged.
 */
export function someAt(
  value: unknown,
  path: readonly string[],
  test: ValueTest,
  budget: Budget,
  depth = 0,
): boolean {
  if (!budget.spend()) return false;
  const name = path[depth];
  if (name === undefined) return test(value, budget);
  if (Array.isArray(value)) return someInArray(value, path, test, budget, depth);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
    return test(undefined, budget);
  return someAt((value as Record<string, unknown>)[name], path, test, budget, depth + 1);
}

function someInArray(
  array: unknown[],
  path: readonly string[],
  test: ValueTest,
  budget: Budget,
  depth: number,
): boolean {
  const name = path[depth] as string;
  const index = /^(0|[1-9]\d{0,8})$/.test(name) ? Number(name) : array.length;
  if (index < array.length && someAt(array[index], path, test, budget, depth + 1)) return true;
  let isNowhere = index >= array.length;
  for (const element of array) {
    if (typeof element !== 'object' || element === null || Array.isArray(element)) {
      if (!budget.spend()) return false;
      continue;
    }
    isNowhere = false;
    if (someAt(element, path, test, budget, depth)) return true;
  }
  return isNowhere && test(undefined, budget);
}

/** A test of a value that an array passes as a whole or by any of its elements. */
export const orAnyElement =
  (test: ValueTest): ValueTest =>
  (value, budget) =>
    test(value, budget) ||
    (Array.isArray(value) && value.some((element) => budget.spend() && test(element, budget)));

/** Whether two JSON values are equal; the order of an object's fields does not matter. */
export function isEqual(one: unknown, other: unknown, budget: Budget): boolean {
  if (!budget.spend()) return false;
  const number = numberOf(one);
  if (number !== null) {
    const otherNumber = numberOf(other);
    // biome-ignore lint/suspicious/noDoubleEquals: a number may equal a bigint.
    return otherNumber !== null && number == otherNumber;
  }
  if (typeof one !== 'object' || one === null) return one === other;
  if (typeof other !== 'object' || other === null || Array.isArray(one) !== Array.isArray(other))
    return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        isEqual((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name], budget),
    )
  );
}

/** Negative, zero or positive if both are numbers or both are strings; null otherwise. */
export function order(one: unknown, other: unknown): number | null {
  const numbers = [numberOf(one), numberOf(other)] as const;
  if (numbers[0] !== null && numbers[1] !== null) return sign(numbers[0], numbers[1]);
  const strings = [stringOf(one), stringOf(other)] as const;
  if (strings[0] !== null && strings[1] !== null) return sign(strings[0], strings[1]);
  return null;
}

const sign = <T extends number | bigint | string>(one: T, other: T) =>
  one < other ? -1 : one > other ? 1 : 0;
