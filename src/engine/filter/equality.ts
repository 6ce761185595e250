import { type ExactNumber, numberOf, stringOf } from '../../platform/json/exact-json.js';
import { type Budget, compare, type ValueTest } from './values.js';

type Ordered = ExactNumber | string;

/** Whether a value equals an operand, both of JSON. What is not there equals null. */
export function equalTo(operand: unknown): ValueTest {
  if (operand === null) return (value, budget) => budget.spend() && (value ?? null) === null;
  const prepared = prepare(operand);
  return (value, budget) => isEqual(prepared, value, budget);
}

/**
 * Whether a value equals any of the operands. Scalars are found among sorted ones, not in a Set: with operands made for it, the
 * hashes of numbers and of texts of digits would all be the same.
 */
export function equalToAny(operands: unknown[]): ValueTest {
  const numbers = sorted(operands.map(numberOf).filter((one) => one !== null));
  const strings = sorted(operands.map(stringOf).filter((one) => one !== null));
  const others = new Set(operands.filter((one) => one === null || typeof one === 'boolean'));
  const nested = operands.filter((one) => typeof one === 'object' && one !== null).map(prepare);
  return (value, budget) => {
    if (!budget.spend()) return false;
    if (value === undefined) return others.has(null);
    if (value === null || typeof value === 'boolean') return others.has(value);
    if (typeof value === 'object') return nested.some((operand) => isEqual(operand, value, budget));
    const string = stringOf(value);
    if (string !== null) return includes(strings, string);
    const number = budget.numberOf(value);
    return number !== null && includes(numbers, number);
  };
}

/** An object that values are compared with; its names are listed once. */
class Fields {
  readonly names: string[];
  readonly values: unknown[];

  constructor(operand: object) {
    this.names = Object.keys(operand);
    this.values = Object.values(operand).map(prepare);
  }
}

/** Most of a filter's text could be objects without fields: one stands for all, so that they take no memory. */
const EMPTY = new Fields({});

function prepare(operand: unknown): unknown {
  if (Array.isArray(operand)) return operand.map(prepare);
  if (typeof operand !== 'object' || operand === null) return operand;
  const fields = new Fields(operand);
  return fields.names.length === 0 ? EMPTY : fields;
}

/** Looks at nothing that is not spent. The order of an object's fields does not matter. */
function isEqual(operand: unknown, value: unknown, budget: Budget): boolean {
  if (!budget.spend()) return false;
  if (operand instanceof Fields) return hasFields(value, operand, budget);
  if (Array.isArray(operand)) {
    if (!Array.isArray(value) || value.length !== operand.length) return false;
    return operand.every((element, index) => isEqual(element, value[index], budget));
  }
  const number = numberOf(operand);
  if (number === null) return operand === value;
  const other = budget.numberOf(value);
  // biome-ignore lint/suspicious/noDoubleEquals: a number may equal a bigint.
  return other !== null && number == other;
}

function hasFields(value: unknown, { names, values }: Fields, budget: Budget): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = value as Record<string, unknown>;
  const has = (name: string, index: number) =>
    Object.hasOwn(fields, name) && isEqual(values[index], fields[name], budget);
  return names.every(has) && budget.sizeOf(value) === names.length;
}

const sorted = <T extends Ordered>(operands: T[]): T[] => operands.sort(compare);

/** Searches by halves. A number may equal a bigint. */
function includes<T extends Ordered>(among: T[], wanted: T): boolean {
  let start = 0;
  let end = among.length;
  while (start < end) {
    const middle = (start + end) >> 1;
    const order = compare(among[middle] as T, wanted);
    if (order === 0) return true;
    if (order < 0) start = middle + 1;
    else end = middle;
  }
  return false;
}
