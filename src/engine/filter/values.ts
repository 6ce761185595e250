import { digitsOf, type ExactNumber, isMarked, numberOf, stringOf } from '../../platform/json/exact-json.js';

/** What reading a long number takes, in values examined: at least this, and one for so many of its digits. */
const OF_A_NUMBER = 10;
const DIGITS = 5;
/** An object of more fields has them counted once. */
const MANY = 100;

/** What has been found out about a record, for all the filters that examine it. */
export class Findings {
  readonly numbers = new Map<string, ExactNumber | null>();
  readonly sizes = new WeakMap<object, number>();
}

/** Bounds the time that a filter may take, in values examined. Once it is exceeded, no result counts. */
export class Budget {
  spent = 0;

  constructor(
    private readonly limit: number,
    private readonly findings: Findings,
  ) {}

  get isExceeded(): boolean {
    return this.spent > this.limit;
  }

  /** @returns false if nothing more may be examined. */
  spend(): boolean {
    return ++this.spent <= this.limit;
  }

  /** Reads a number as `numberOf` of `exact-json.ts` does. */
  numberOf(value: unknown): ExactNumber | null {
    if (!isMarked(value)) return numberOf(value);
    const { numbers } = this.findings;
    let found = numbers.get(value);
    if (found === undefined) {
      found = numberOf(value);
      numbers.set(value, found);
      this.spent += OF_A_NUMBER + digitsOf(value) / DIGITS;
    }
    return found;
  }

  /** How many fields an object has. Counting those of a large one takes milliseconds. */
  sizeOf(value: object): number {
    const { sizes } = this.findings;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    const size = Object.keys(value).length;
    this.spent += size;
    if (size > MANY) sizes.set(value, size);
    return size;
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
    test(value, budget) || (Array.isArray(value) && someElement(value, test, budget));

/** Unlike `some` it ends with the budget. */
export function someElement(array: unknown[], test: ValueTest, budget: Budget): boolean {
  for (const element of array) {
    if (!budget.spend()) return false;
    if (test(element, budget)) return true;
  }
  return false;
}

/** Negative, zero or positive if both are numbers or both are strings; null otherwise. */
export function order(value: unknown, operand: ExactNumber | string, budget: Budget): number | null {
  if (typeof operand === 'string') {
    const string = stringOf(value);
    return string === null ? null : compare(string, operand);
  }
  const number = budget.numberOf(value);
  return number === null ? null : compare<ExactNumber>(number, operand);
}

export const compare = <T extends ExactNumber | string>(one: T, other: T) =>
  one < other ? -1 : one > other ? 1 : 0;
