import { MAX_DIGITS, numberOf, stringOf, writeExactly } from '../../platform/json/exact-json.js';
import { all, any, type CompiledFilter, type Condition, NEVER, not, onPath, PASSES } from './conditions.js';
import { equalTo, equalToAny } from './equality.js';
import {
  COMBINATIONS,
  COMPARISONS,
  type Comparison,
  MAX_CONDITIONS,
  MAX_DEPTH,
  MAX_FILTER_BYTES,
  MAX_PATH_LENGTH,
} from './filter.js';
import { conditionsOf, isDeeper, isOperator, isOperators, isPlain, type Plain } from './filter-form.js';
import { orAnyElement, order, someElement, type ValueTest } from './values.js';

/** A part of a filter that is wrong; `path` leads to it from the filter. */
export interface FilterProblem {
  path: string[];
  message: string;
}

export type Compilation = { ok: true; filter: CompiledFilter } | { ok: false; problems: FilterProblem[] };

const isComparable = (value: number | bigint) =>
  typeof value === 'bigint' ? String(value).length <= MAX_DIGITS : Number.isFinite(value);

/**
 * Compiles a filter of JSON values and bigints.
 *
 * @returns the filter, or everything that is wrong with it.
 */
export const compileFilter = (source: unknown): Compilation => compile(source, new Compiler(false));

/** Compiles a filter that was stored, perhaps when names like those of operators could stand in what is compared. */
export const compileStored = (source: unknown): Compilation => compile(source, new Compiler(true));

function compile(source: unknown, compiler: Compiler): Compilation {
  if (!isPlain(source)) return { ok: false, problems: [{ path: [], message: 'must be an object' }] };
  // First, because everything else would recurse into it.
  if (!compiler.isBounded(source)) return { ok: false, problems: compiler.problems };
  const filter = compiler.filter(source, []);
  return compiler.problems.length > 0 ? { ok: false, problems: compiler.problems } : { ok: true, filter };
}

class Compiler {
  readonly problems: FilterProblem[] = [];

  constructor(private readonly isStored: boolean) {}

  /** Whether it is JSON, within the limits of size and depth. The size first: examining each value takes longer. */
  isBounded(source: Plain): boolean {
    if (isDeeper(source, MAX_DEPTH)) {
      this.fault([], `must not be nested deeper than ${MAX_DEPTH} levels`);
    } else if (Buffer.byteLength(writeExactly(source)) > MAX_FILTER_BYTES) {
      this.fault([], `must have at most ${MAX_FILTER_BYTES} bytes as JSON`);
    } else {
      this.checkValues(source, []);
      if (conditionsOf(source) > MAX_CONDITIONS)
        this.fault([], `must have at most ${MAX_CONDITIONS} conditions`);
    }
    return this.problems.length === 0;
  }

  /** Applications may give values that JSON has not, and anybody a number that cannot be compared exactly. */
  private checkValues(value: unknown, at: string[]): void {
    if (Array.isArray(value) || isPlain(value)) {
      this.within(value, at, (inner) => this.checkValues(inner, at));
    } else if (typeof value === 'number' || typeof value === 'bigint') {
      if (!isComparable(value)) this.fault(at, `must be a number of at most ${MAX_DIGITS} digits`);
    } else if (value !== null && typeof value !== 'string' && typeof value !== 'boolean') {
      this.fault(at, 'must be a JSON value');
    }
  }

  filter(source: Plain, at: string[]): Condition {
    return all(
      Object.entries(source).map(([name, value]) => {
        const place = [...at, name];
        return isOperator(name) ? this.combination(name, value, place) : this.field(name, value, place);
      }),
    );
  }

  private combination(name: string, value: unknown, at: string[]): Condition {
    if (name === '$not')
      return isPlain(value) ? not(this.filter(value, at), at) : this.fault(at, 'must be a filter');
    if (name !== '$and' && name !== '$or') {
      const isMisplaced = (COMPARISONS as readonly string[]).includes(name);
      return this.fault(
        at,
        isMisplaced
          ? `must stand under a field: { "field": { "${name}": … } }`
          : `is no operator; here can stand fields and ${COMBINATIONS.join(', ')}`,
      );
    }
    if (!Array.isArray(value) || value.length === 0)
      return this.fault(at, 'must be an array of filters, not empty');
    const parts = value.map((part, index) => {
      const place = [...at, String(index)];
      return isPlain(part) ? this.filter(part, place) : this.fault(place, 'must be a filter');
    });
    return name === '$and' ? all(parts) : any(parts, at);
  }

  private field(name: string, value: unknown, at: string[]): Condition {
    const path = name.split('.');
    if (path.some((part) => part === '') || name.length > MAX_PATH_LENGTH) {
      return this.fault(
        at,
        `must be a path like "analysis.status", of at most ${MAX_PATH_LENGTH} characters`,
      );
    }
    if (path.some(isOperator)) return this.fault(at, 'is no path: operators stand in an object under it');
    const operators = isPlain(value) ? Object.keys(value).filter(isOperator) : [];
    if (operators.length === 0) return onPath(path, orAnyElement(equalTo(this.compared(value, at))), at);
    return this.comparisons(value as Plain, path, at);
  }

  private comparisons(operators: Plain, path: string[], at: string[]): Condition {
    return all(
      Object.entries(operators).map(([name, operand]) => this.comparison(name, operand, path, [...at, name])),
    );
  }

  private comparison(name: string, operand: unknown, path: string[], at: string[]): Condition {
    if (!isOperator(name)) return this.fault(at, 'cannot stand beside operators');
    if (name === '$not') {
      if (!isOperators(operand)) return this.fault(at, 'must be an object of operators');
      return not(this.comparisons(operand, path, at), at);
    }
    const test = this.test(name as Comparison, operand, at);
    if (test === null) return NEVER;
    const isNegated = name === '$ne' || name === '$nin' || (name === '$exists' && operand === false);
    const condition = onPath(path, test, at);
    return isNegated ? not(condition, at) : condition;
  }

  /** @returns null if the operator or its operand is wrong. */
  private test(name: Comparison, operand: unknown, at: string[]): ValueTest | null {
    switch (name) {
      case '$eq':
      case '$ne':
        return orAnyElement(equalTo(this.compared(operand, at)));
      case '$in':
      case '$nin': {
        if (!Array.isArray(operand)) return this.wrong(at, 'must be an array');
        return orAnyElement(equalToAny(this.compared(operand, at)));
      }
      case '$gt':
      case '$gte':
      case '$lt':
      case '$lte': {
        const limit = numberOf(operand) ?? stringOf(operand);
        if (limit === null) return this.wrong(at, 'must be a number or a string');
        const passes = PASSES[name];
        return orAnyElement((value, budget) => {
          const found = order(value, limit, budget);
          return found !== null && passes(found);
        });
      }
      case '$startsWith':
      case '$endsWith': {
        const text = stringOf(operand);
        if (text === null) return this.wrong(at, 'must be a string');
        return orAnyElement((value) => {
          const found = stringOf(value);
          return found !== null && (name === '$startsWith' ? found.startsWith(text) : found.endsWith(text));
        });
      }
      case '$exists':
        return typeof operand === 'boolean'
          ? (value) => value !== undefined
          : this.wrong(at, 'must be true or false');
      case '$elemMatch': {
        if (!isPlain(operand)) return this.wrong(at, 'must be a filter or an object of operators');
        const matches = isOperators(operand) ? this.comparisons(operand, [], at) : this.filter(operand, at);
        const test: ValueTest = (element, budget) => matches(element, budget) === null;
        return (value, budget) => Array.isArray(value) && someElement(value, test, budget);
      }
      default:
        return this.wrong(at, `is no operator; there are ${COMPARISONS.join(', ')} and $not`);
    }
  }

  /** A value that is compared as it is. An operator in it would never match: whoever wrote it means something else. */
  private compared<T>(value: T, at: string[]): T {
    if (this.isStored || typeof value !== 'object' || value === null) return value;
    this.within(value, at, (inner, name) => {
      if (Array.isArray(value) || !isOperator(name)) this.compared(inner, at);
      else this.fault(at, 'cannot stand in a value that is compared: an operator stands right under a path');
    });
    return value;
  }

  /** Visits what is in a value, with its name at the end of `at` meanwhile: a path for each of thousands would take long. */
  private within(value: object, at: string[], visit: (inner: unknown, name: string) => void): void {
    for (const [name, inner] of Object.entries(value)) {
      at.push(name);
      visit(inner, name);
      at.pop();
    }
  }

  private fault(path: string[], message: string): Condition {
    this.problems.push({ path: [...path], message });
    return NEVER;
  }

  private wrong(path: string[], message: string): null {
    this.problems.push({ path, message });
    return null;
  }
}
