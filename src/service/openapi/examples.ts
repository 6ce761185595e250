import type { OpenAPIObject } from '@nestjs/swagger';
import { eventText } from '../../streams/event-stream.js';
import { POSITION } from '../../streams/stream-docs.js';

type Json = unknown;
type Schema = Record<string, Json>;
interface MediaType {
  schema?: Schema;
  example?: Json;
  examples?: Json;
  'x-events'?: Json;
}

const BY_FORMAT: Record<string, Json> = {
  uuid: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42',
  'date-time': '2026-11-21T10:15:30.123Z',
};

/** Adds an example, built from the examples of the fields, to every JSON request and response body without one, and to every stream. */
export function addExamples(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const stream of contentsOf(document, 'text/event-stream')) {
    const [[event, schema] = []] = Object.entries((stream['x-events'] ?? {}) as Record<string, Schema>);
    if (event && schema)
      stream.example = eventText(POSITION, event, JSON.stringify(exampleOf(schema, schemas)));
  }
  for (const body of contentsOf(document, 'application/json')) {
    if (!body.schema || body.example !== undefined || body.examples !== undefined) continue;
    const example = exampleOf(body.schema, schemas);
    if (example !== undefined) body.example = example;
  }
}

function contentsOf({ paths }: OpenAPIObject, type: string): MediaType[] {
  const operations = Object.values(paths).flatMap((path) => [
    path.get,
    path.post,
    path.put,
    path.patch,
    path.delete,
  ]);
  const parts = operations.flatMap((operation) =>
    operation ? [operation.requestBody, ...Object.values(operation.responses)] : [],
  );
  return parts.flatMap((part) => {
    const content = part && 'content' in part ? part.content : undefined;
    return (content?.[type] as MediaType | undefined) ?? [];
  });
}

function exampleOf(schema: Schema, schemas: Record<string, Schema>): Json {
  if ('example' in schema) return schema.example;
  if (typeof schema.$ref === 'string') return exampleOf(schemas[nameOf(schema.$ref)] ?? {}, schemas);
  const [alternative] = (schema.allOf ?? schema.oneOf ?? schema.anyOf ?? []) as Schema[];
  if (alternative) return exampleOf(alternative, schemas);
  return exampleOfType(schema, schemas);
}

function exampleOfType(schema: Schema, schemas: Record<string, Schema>): Json {
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.type) && schema.type.includes('null')) return null;
  switch (schema.type) {
    case 'object':
      return exampleOfObject(schema, schemas);
    case 'array': {
      const item = exampleOf((schema.items ?? {}) as Schema, schemas);
      return item === undefined ? [] : [item];
    }
    case 'boolean':
      return schema.default ?? true;
    default:
      return BY_FORMAT[String(schema.format)] ?? schema.default;
  }
}

function exampleOfObject(schema: Schema, schemas: Record<string, Schema>): Json {
  const entries = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(
    ([name, property]) => [name, exampleOf(property, schemas)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const nameOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);
