import { type ArgumentMetadata, Query, StandardSchemaValidationPipe } from '@nestjs/common';
import type { z } from 'zod';
import { jsonPointer } from '../platform/json/json-pointer.js';
import { type FieldError, invalid, MAX_ERRORS, type Problem } from '../platform/problem.js';
import { idQuery } from './fields.js';

interface Issue {
  message: string;
  path?: ReadonlyArray<PropertyKey | { key: PropertyKey }> | undefined;
  /** zod's own: which unknown keys an object had, and the issues of each branch of a union. */
  keys?: string[];
}

/** More fields than any valid body has. */
const MAX_FIELDS = 1000;

/** Validates one parameter, whatever Nest has been told of it. */
class ValidationPipe extends StandardSchemaValidationPipe {
  constructor(
    private readonly schema: z.ZodType,
    root: '/' | '?',
  ) {
    super({ exceptionFactory: (issues) => problemOf(issues, root) });
  }

  override transform<T>(value: T, metadata: ArgumentMetadata): Promise<T> {
    return super.transform(value, { ...metadata, schema: this.schema });
  }

  /** Nest drops keys such as "constructor" before it validates; here they are reported as unknown fields. */
  protected override stripProtoKeys(): void {}
}

/**
 * What Nest is told of a parameter, to describe it in the OpenAPI document. It accepts everything: a host's own
 * `StandardSchemaValidationPipe` for all routes would refuse in its own words, and leave us what has been parsed already.
 */
function described(schema: z.ZodType): z.ZodType {
  const validate = (value: unknown) => ({ value });
  return Object.create(schema, { '~standard': { value: { ...schema['~standard'], validate } } });
}

/** For a handler's body: names every bad field at once. */
export const validBody = (schema: z.ZodType) => ({
  schema: described(schema),
  pipes: [new ValidationPipe(schema, '/')],
});

/** The same for query parameters. */
export const validQuery = (schema: z.ZodType) => ({
  schema: described(schema),
  pipes: [new ValidationPipe(schema, '?')],
});

/** The query of a call about one object, which it names by its id, as a handler's parameter. */
export const ById = () => Query(validQuery(idQuery));

/** Validates a body whose schema is not known until the request is read. */
export function parseBody<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  // Reporting each of so many fields would take longer than reading them.
  if (typeof body === 'object' && body !== null && Object.keys(body).length > MAX_FIELDS)
    throw invalid([{ pointer: '', message: `must have at most ${MAX_FIELDS} fields` }]);
  const result = schema.safeParse(body);
  if (!result.success) throw problemOf(result.error.issues, '/');
  return result.data;
}

function problemOf(issues: readonly Issue[], root: '/' | '?'): Problem {
  const errors: FieldError[] = [];
  for (const issue of issues) {
    errors.push(...fieldErrors(issue, root));
    if (errors.length >= MAX_ERRORS) break;
  }
  return invalid(errors);
}

function fieldErrors(issue: Issue, root: '/' | '?'): FieldError[] {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
  if (issue.keys && /unrecognized/i.test(issue.message)) {
    return issue.keys.slice(0, MAX_ERRORS).map((key) => ({
      pointer: pointer([...path, key], root),
      message: 'is not a known field',
    }));
  }
  return [{ pointer: pointer(path, root), message: issue.message }];
}

function pointer(path: string[], root: '/' | '?'): string {
  if (root === '?') return `?${path.join('.')}`;
  return jsonPointer(path);
}
