import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './scene.js';

/** The part of JSON Schema that the document uses. */
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

/** An operation of the REST API, as the document describes it. */
export interface Operation {
  name: string;
  method: string;
  path: string;
  query: { name: string; required: boolean; schema: Schema }[];
  /** The schema of the body; null if the operation has no body. */
  body: Schema | null;
  /** The bodies that the document shows. */
  examples: Json[];
  /** The scope that a key must have; null if any key will do, or none is needed. */
  scope: string | null;
  /** The documented response statuses. */
  statuses: number[];
}

const document: Json = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));

/** Every operation of the committed document, so new ones are tested without further work. */
export const operations: Operation[] = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
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
    ...bodyOf(operation),
    scope: /Needs the scope `([^`]+)`/.exec(operation.description)?.[1] ?? null,
    statuses: Object.keys(operation.responses).map(Number),
  })),
);

const NOUNS = ['trigger', 'event', 'api-key', 'webhook', 'notification'];

/** What `id` names in calls of a path. */
export const nounOf = (path: string) => NOUNS.find((noun) => path.includes(`/${noun}`));

function bodyOf(operation: Json): Pick<Operation, 'body' | 'examples'> {
  const { schema, example, examples } = operation.requestBody?.content['application/json'] ?? {};
  return {
    body: schema ? resolved(schema) : null,
    examples: examples ? Object.values<Json>(examples).map(({ value }) => value) : example ? [example] : [],
  };
}

/** Replaces every reference by its target. @throws Error if there is none */
export function resolved(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(resolved);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (typeof schema.$ref === 'string') {
    const target = document.components.schemas[schema.$ref.replace('#/components/schemas/', '')];
    if (!target) throw new Error(`There is no ${schema.$ref}.`);
    return resolved(target);
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolved(value)]));
}
