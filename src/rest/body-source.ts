import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import {
  exactValue,
  MAX_EXACT,
  MAX_UNWRITTEN,
  mayBeRounded,
  parseMarked,
  writeExactly,
} from '../platform/json/exact-json.js';
import { invalid } from '../platform/problem.js';

const SOURCE = Symbol('source');

/** Without a byte order mark, with which the body may have begun. */
const utf8 = new TextDecoder();

/** A request whose body was read. */
export interface SourceRequest {
  /** The bytes of the body. An application's parser may keep them or not. */
  rawBody?: Buffer;
  /** What the parser made of it. */
  body?: unknown;
  [SOURCE]?: string;
}

/** Keeps the JSON text that a parser has already decoded. */
export function keepSource(request: SourceRequest, text: string): void {
  request[SOURCE] = text;
}

/**
 * Decorates a parameter with the body of the request, its whole numbers beyond 2^53 as bigints.
 *
 * @param field reads only this one so, and all others as `parseMarked` does.
 * @throws Problem 400 if there are very many of them.
 */
export const ExactBody = createParamDecorator((field: string | undefined, context: ExecutionContext) =>
  exactBody(context.switchToHttp().getRequest<SourceRequest>(), field),
);

function exactBody(request: SourceRequest, field: string | undefined): unknown {
  const { body } = request;
  if (typeof body !== 'object' || body === null) return body;
  const source = sourceOf(request);
  if (!mayBeRounded(source)) return body;
  const marked = parseMarked(source) as Record<string, unknown>;
  if (field !== undefined && marked[field] === undefined) return marked;
  const exact = exactValue(field === undefined ? marked : marked[field]);
  if (exact !== undefined) return field === undefined ? exact : { ...marked, [field]: exact };
  const message = `must hold at most ${MAX_EXACT} numbers beyond 2^53, whose exponents stand for at most ${MAX_UNWRITTEN} digits`;
  throw invalid([{ pointer: field === undefined ? '' : `/${field}`, message }]);
}

/** The JSON text of a request's body: as it was sent, or, where an application's parser has not kept that, written anew. */
export function sourceOf(request: SourceRequest): string {
  return request[SOURCE] ?? (request.rawBody ? utf8.decode(request.rawBody) : writeExactly(request.body));
}
