import { z } from 'zod';
import { ConfigError } from './config-error.js';
import { nearest } from './nearest.js';

/** Fields of options, by name. */
export type Fields = Record<string, z.ZodType>;

/** A problem with an option that an application passes in code. */
export interface OptionProblem {
  /** The option's path, such as `delivery.timeoutMs`. */
  path: string;
  /** Completes the sentence "this option …". */
  message: string;
  /** Whether the name is wrong, and not the value. */
  isName: boolean;
}

/** Options that exist, but go elsewhere. */
export interface Misplaced {
  names: readonly string[];
  /** Completes the sentence "this option …". */
  message: string;
}

/** @throws ConfigError with a line for each problem, if there is any. */
export function refuse(problems: OptionProblem[], of = ''): void {
  if (problems.length === 0) return;
  throw new ConfigError(problems.map(({ path, message }) => `${of}${path}: ${message}`));
}

/** Whether it is an object of options, and not a value, an array or a promise. */
export const isOptions = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given) && !('then' in given);

/** What to call a value that is not an object of options. It never contains the value. */
export function kindOf(given: unknown): string {
  if (given === null || given === undefined) return String(given);
  if (Array.isArray(given)) return 'an array';
  return typeof given === 'object' && 'then' in given ? 'a promise' : `a ${typeof given}`;
}

/** What is wrong with options: values, and names that are not an option. */
export function problemsOf(
  fields: Fields,
  given: Record<string, unknown>,
  ...misplaced: Misplaced[]
): OptionProblem[] {
  const { error } = z.strictObject(fields).safeParse(given);
  return (error?.issues ?? []).flatMap<OptionProblem>((issue) => {
    const path = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') {
      return [{ path: path.join('.'), message: issue.message, isName: false }];
    }
    return issue.keys.map((key) => {
      const place = path.length === 0 ? misplaced.find(({ names }) => names.includes(key)) : undefined;
      const message = place?.message ?? unknown(fields, path, key);
      return { path: [...path, key].join('.'), message, isName: true };
    });
  });
}

/** Suggests a name from the same group, or else the same name in another group. */
function unknown(fields: Fields, path: string[], key: string): string {
  const siblings = Object.keys(fieldsAt(fields, path));
  const near = nearest(key, siblings);
  if (near) return `is not an option; did you mean ${[...path, near].join('.')}?`;
  for (const group of Object.keys(fields)) {
    const name = nearest(key, Object.keys(fieldsAt(fields, [group])));
    if (name) return `is not an option here; did you mean ${group}.${name}?`;
  }
  return `is not an option; there are ${siblings.join(', ')}`;
}

function fieldsAt(fields: Fields, path: string[]): Fields {
  return path.reduce((at, name) => (at[name] ? shapeOf(at[name]) : at), fields);
}

/** The fields of an object, or of each object in a record. */
function shapeOf(type: z.ZodType): Fields {
  if (type instanceof z.ZodObject) return type.shape;
  if (type instanceof z.ZodRecord) return shapeOf(type.valueType as z.ZodType);
  if (type instanceof z.ZodPipe) return shapeOf(type.out as z.ZodType);
  return 'unwrap' in type ? shapeOf((type as z.ZodOptional<z.ZodType>).unwrap()) : {};
}
