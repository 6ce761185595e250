import { MAX_EXACT, mayBeRounded, parseExactly } from '../common/json/exact-json.js';
import { invalid } from '../common/problem.js';

const SOURCE = Symbol('source');

/** Without a byte order mark, with which the body may have begun. */
const utf8 = new TextDecoder();

/** A request whose body was read. */
export interface SourceRequest {
  /** The bytes of the body. An application's parser may keep them or not. */
  rawBody?: Buffer;
  [SOURCE]?: string;
}

/** Keeps the JSON text that a parser has already decoded. */
export function keepSource(request: SourceRequest, text: string): void {
  request[SOURCE] = text;
}

/** A body with its whole numbers beyond 2^53 as bigints. @throws Problem 400 if there are very many of them. */
export function exactBody(request: SourceRequest, body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const source = sourceOf(request, body);
  if (!mayBeRounded(source)) return body;
  const exact = parseExactly(source);
  if (exact !== undefined) return exact;
  throw invalid([{ pointer: '', message: `must hold at most ${MAX_EXACT} numbers beyond 2^53` }]);
}

/** The JSON text of a body: as it was sent, or, where an application's parser has not kept that, written anew. */
export function sourceOf(request: SourceRequest, body: unknown): string {
  return request[SOURCE] ?? (request.rawBody ? utf8.decode(request.rawBody) : JSON.stringify(body));
}
