const NO_BODY = [204, 304];

/** One HTTP/1.1 response. */
export interface ParsedAnswer {
  /** 0 for what is no HTTP/1.1. */
  status: number;
  /** By lower-case name; the last value of a repeated header. */
  headers: Map<string, string>;
  body: string;
}

/** The complete answers at the start of what was received, and the rest. @param toHead if the first has no body */
export function answersIn(received: string, toHead = false): { answers: ParsedAnswer[]; rest: string } {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return { answers: [], rest: received };
  const [line = '', ...fields] = received.slice(0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d)( |$)/.exec(line)?.[1] ?? 0);
  const headers = new Map(
    fields.map((field): [string, string] => {
      const [name = '', ...value] = field.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
  const rest = received.slice(headEnd + 4);
  // A stream of events is there once it has begun. It does not end.
  const isEndless = status === 0 || headers.get('content-type')?.startsWith('text/event-stream');
  const isEmpty = toHead || status < 200 || NO_BODY.includes(status);
  const content = isEndless ? [rest, ''] : isEmpty ? ['', rest] : bodyAt(rest, headers);
  if (!content) return { answers: [], rest: received };
  const [body = '', behind = ''] = content;
  // What it announces is still the answer to the same request (RFC 9110, 15.2).
  if (status >= 100 && status < 200) return answersIn(behind, toHead);
  const more = answersIn(behind);
  const answer = { status, headers, body: Buffer.from(body, 'latin1').toString() };
  return { answers: [answer, ...more.answers], rest: more.rest };
}

/** The body, and what is behind it; null if it is not complete. */
function bodyAt(text: string, headers: Map<string, string>): [body: string, behind: string] | null {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const length = Number(headers.get('content-length'));
    return text.length >= length ? [text.slice(0, length), text.slice(length)] : null;
  }
  const [line = '', size = ''] = /^([\da-f]+)\r\n/i.exec(text) ?? [];
  const end = line.length + Number.parseInt(size, 16);
  if (!(text.length >= end + 2)) return null;
  const chunk = text.slice(line.length, end);
  const behind = text.slice(end + 2);
  if (chunk === '') return ['', behind];
  const more = bodyAt(behind, headers);
  return more && [chunk + more[0], more[1]];
}
