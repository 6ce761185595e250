import { type z } from 'zod';
import { jsonPointer } from '../platform/json/json-pointer.js';
import { invalid, MAX_ERRORS, Problem } from '../platform/problem.js';
import { idQuery } from './fields.js';
import { parseBody } from './validation.js';

/** The two meanings of a POST on a path that both creates and deletes. */
export type CreateOrDelete<T> = { create: T } | { delete: string };

/**
 * Exactly `{ id }` deletes; fields without an `id` create.
 *
 * @throws Problem 400 `validation_failed`, or `ambiguous_operation` for an `id` beside fields of a creation
 */
export function createOrDelete<S extends z.ZodObject>(create: S, body: unknown): CreateOrDelete<z.output<S>> {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const keys = isObject ? Object.keys(body) : [];
  if (!keys.includes('id')) return { create: parseBody(create, body) };
  const others = keys.filter((key) => key !== 'id');
  if (others.length === 0) return { delete: parseBody(idQuery, body).id };
  if (others.some((key) => Object.hasOwn(create.shape, key))) throw ambiguous();
  const unknown = others.slice(0, MAX_ERRORS);
  throw invalid(unknown.map((key) => ({ pointer: jsonPointer([key]), message: 'is not a known field' })));
}

function ambiguous(): Problem {
  return new Problem(
    400,
    'ambiguous_operation',
    'To create, send the fields without "id"; to delete, send exactly { "id": "…" }; to change, use PATCH.',
  );
}
