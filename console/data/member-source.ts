/** A string, a bracket, or a run of anything else but separators. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]|[^\s"{}[\],:]+/gy;
const GAP = /[\s,:]*/gy;

/**
 * The text of a member of a JSON object, exactly as it is written: `memberSource(text, 'request_data', 'body')`. The text
 * must be valid JSON. @returns undefined where there is no such member.
 */
export function memberSource(text: string, ...path: readonly string[]): string | undefined {
  let from = 0;
  for (const name of path) {
    const found = memberAt(text, from, name);
    if (found === undefined) return undefined;
    from = found;
  }
  return text.slice(from, endOf(text, from));
}

/** Where the value of a member begins, in the object that begins at `from`. */
function memberAt(text: string, from: number, name: string): number | undefined {
  let at = skip(text, from);
  if (text[at] !== '{') return undefined;
  at = skip(text, at + 1);
  while (at < text.length && text[at] !== '}') {
    const endOfName = endOf(text, at);
    const value = skip(text, endOfName);
    if (JSON.parse(text.slice(at, endOfName)) === name) return value;
    at = skip(text, endOf(text, value));
  }
  return undefined;
}

function endOf(text: string, from: number): number {
  let depth = 0;
  let at = from;
  do {
    at = skip(text, at);
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return text.length;
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    at += token.length;
  } while (depth > 0);
  return at;
}

function skip(text: string, from: number): number {
  GAP.lastIndex = from;
  return from + (GAP.exec(text)?.[0].length ?? 0);
}
