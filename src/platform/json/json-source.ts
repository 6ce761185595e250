import { Problem } from '../problem.js';
import { isDeeperThan } from './json-text.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** JSON as its source text, without a byte order mark, and as its value. */
export interface JsonSource {
  text: string;
  value: unknown;
}

/**
 * Reads JSON from bytes.
 *
 * @param maxDepth levels of `{}` and `[]`.
 * @throws Problem 400 `malformed_json`, `json_too_deep`
 */
export function jsonSource(bytes: Uint8Array, maxDepth: number): JsonSource {
  const text = decode(bytes);
  if (isDeeperThan(text, maxDepth)) {
    throw new Problem(400, 'json_too_deep', `The body is nested deeper than ${maxDepth} levels.`);
  }
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    throw malformed('The body is not valid JSON.');
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
}

const malformed = (message: string) => new Problem(400, 'malformed_json', message);
