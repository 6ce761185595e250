import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { z } from 'zod';
import { type FieldError, invalid, type Problem } from './problem.js';

interface Issue {
  message: string;
  path?: ReadonlyArray<PropertyKey | { key: PropertyKey }> | undefined;
  /** zod's own: which unknown keys an object had, and the issues of each branch of a union. */
  keys?: string[];
}

/** Nest's pipe drops keys such as "constructor" before it validates; here they are unknown fields like any other. */
class ValidationPipe extends StandardSchemaValidationPipe {
  protected override stripProtoKeys(): void {}
}

/** Validates a body against the schema of its parameter; every bad field is named at once. */
export const validBody = new ValidationPipe({
  exceptionFactory: (issues) => problemOf(issues, '/'),
});

/** The same for query parameters. */
export const validQuery = new ValidationPipe({
  exceptionFactory: (issues) => problemOf(issues, '?'),
});

/** Validates in code what a parameter's schema alone cannot tell apart. */
export function parseBody<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const result = schema.safeParse(body);
  if (!result.success) throw problemOf(result.error.issues, '/');
  return result.data;
}

function problemOf(issues: readonly Issue[], root: '/' | '?'): Problem {
  return invalid(issues.flatMap((issue) => fieldErrors(issue, root)));
}

function fieldErrors(issue: Issue, root: '/' | '?'): FieldError[] {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
  if (issue.keys && /unrecognized/i.test(issue.message)) {
    return issue.keys.map((key) => ({
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

/** RFC 6901; the whole document is the empty pointer. */
export function jsonPointer(path: string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
