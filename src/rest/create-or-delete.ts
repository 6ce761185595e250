import { applyDecorators, type Type } from '@nestjs/common';
import { type z } from 'zod';
import { jsonPointer } from '../platform/json/json-pointer.js';
import { jsonSchemaOf } from '../platform/json/json-schema.js';
import { invalid, MAX_ERRORS, Problem } from '../platform/problem.js';
import { ApiBody, ApiExtraModels, ApiResponse, getSchemaPath } from './docs.js';
import { idQuery } from './fields.js';
import { WebhookDeletedDto } from './operation.js';
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

interface CreateOrDeleteExamples {
  /** A body that creates. */
  create: object;
  /** A body that deletes. */
  delete: { id: string };
}

/** Documents the two bodies of such a POST, and the answer of a deletion. @param Created the answer of a creation. */
export const CreateOrDeleteBodies = (create: z.ZodType, examples: CreateOrDeleteExamples, Created: Type) =>
  applyDecorators(
    ApiExtraModels(Created, WebhookDeletedDto),
    ApiBody({
      schema: { oneOf: [jsonSchemaOf(create), jsonSchemaOf(idQuery)] },
      examples: {
        create: { summary: 'Create', value: examples.create },
        delete: { summary: 'Delete', value: examples.delete },
      },
    }),
    ApiResponse({ status: 200, description: 'Deleted', schema: { $ref: getSchemaPath(WebhookDeletedDto) } }),
  );
