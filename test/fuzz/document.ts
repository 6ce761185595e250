import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape is looked into
type Json = any;

/** As much of JSON Schema as the document uses. */
export interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
}

export interface FuzzOperation {
  name: string;
  method: string;
  path: string;
  query: { name: string; required: boolean; schema: Schema }[];
  /** What a body must be; null where the operation has none. */
  body: Schema | null;
  /** That a key must have; null where nobody asks for a key. */
  scope: string | null;
  /** The statuses that it says it may answer. */
  statuses: number[];
}

const document: Json = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));

/** Every operation of the committed document: one that is added there is attacked from then on. */
export const operations: FuzzOperation[] = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]) => ({
    name: String(operation.operationId),
    method: method.toUpperCase(),
    path,
    query: (operation.parameters ?? [])
      .filter((one: Json) => one.in === 'query')
      .map((one: Json) => ({
        name: one.name,
        required: one.required === true,
        schema: resolved(one.schema ?? {}),
      })),
    body: bodyOf(operation),
    scope: /Needs the scope `([^`]+)`/.exec(operation.description)?.[1] ?? null,
    statuses: Object.keys(operation.responses).map(Number),
  })),
);

function bodyOf(operation: Json): Schema | null {
  const schema = operation.requestBody?.content['application/json']?.schema;
  return schema ? resolved(schema) : null;
}

/** With every reference replaced by what it points to. */
function resolved(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(resolved);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (typeof schema.$ref === 'string') {
    return resolved(document.components.schemas[schema.$ref.replace('#/components/schemas/', '')]);
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolved(value)]));
}
