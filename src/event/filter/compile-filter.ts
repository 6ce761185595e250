import { MAX_DIGITS, numberOf, stringOf, writeExactly } from '../../common/json/exact-json.js';
import {
  all,
  any,
  type CompiledFilter,
  type Condition,
  equalTo,
  NEVER,
  not,
  onPath,
  PASSES,
} from './conditions.js';
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
export function compileFilter(source: unknown): Compilation {
  if (!isPlain(source)) return { ok: false, problems: [{ path: [], message: 'must be an object' }] };
  const compiler = new Compiler();
  // First, because everything else would recurse into it.
  if (!compiler.isBounded(source)) return { ok: false, problems: compiler.problems };
  const filter = compiler.filter(source, []);
  return compiler.problems.length > 0 ? { ok: false, problems: compiler.problems } : { ok: true, filter };
}

class Compiler {
  readonly problems: FilterProblem[] = [];

  /** Whether it is JSON, within the limits of size and depth. */
  isBounded(source: Plain): boolean {
    if (isDeeper(source, MAX_DEPTH)) {
      this.fault([], `must not be nested deeper than ${MAX_DEPTH} levels`);
      return false;
    }
    this.checkValues(source, []);
    if (this.problems.length > 0) return false;
    if (Buffer.byteLength(writeExactly(source)) > MAX_FILTER_BYTES) {
      this.fault([], `must have at most ${MAX_FILTER_BYTES} bytes as JSON`);
    } else if (conditionsOf(source) > MAX_CONDITIONS) {
      this.fault([], `must have at most ${MAX_CONDITIONS} conditions`);
    }
    return this.problems.length === 0;
  }

  /** Applications may give values that JSON has not, and anybody a number that cannot be compared exactly. */
  private checkValues(value: unknown, at: string[]): void {
    if (Array.isArray(value) || isPlain(value)) {
      for (const [name, inner] of Object.entries(value)) this.checkValues(inner, [...at, name]);
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
    if (operators.length === 0) return onPath(path, orAnyElement(equalTo(value)), at);
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
        return orAnyElement(equalTo(operand));
      case '$in':
      case '$nin': {
        if (!Array.isArray(operand)) return this.wrong(at, 'must be an array');
        const tests = operand.map(equalTo);
        return orAnyElement((value, budget) => tests.some((test) => test(value, budget)));
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

  private fault(path: string[], message: string): Condition {
    this.problems.push({ path, message });
    return NEVER;
  }

  private wrong(path: string[], message: string): null {
    this.problems.push({ path, message });
    return null;
  }
}
