/** One HTTP/1.1 response, parsed from the start of the received bytes. */
export interface ParsedAnswer {
  status: number;
  /** By lower-case name; the last value of a repeated header. */
  headers: Map<string, string>;
  body: string;
  /** In bytes, including the head. */
  length: number;
}

const NO_BODY = [204, 304];

/** @returns null if the response is not complete yet. @throws if it is not an HTTP/1.1 response */
export function parseAnswer(received: Buffer, hasNoBody: boolean): ParsedAnswer | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [line = '', ...fields] = received.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d)( |$)/.exec(line)?.[1]);
  if (!status) throw new Error(`No answer of HTTP/1.1: ${JSON.stringify(line.slice(0, 200))}`);
  const headers = new Map(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }),
  );
  const bodyStart = headEnd + 4;
  // A stream of events is there once it has begun. It does not end.
  if (headers.get('content-type')?.startsWith('text/event-stream'))
    return { status, headers, body: '', length: received.length };
  const body =
    hasNoBody || status < 200 || NO_BODY.includes(status)
      ? { bytes: Buffer.alloc(0), end: bodyStart }
      : bodyAt(received, bodyStart, headers);
  return body && { status, headers, body: body.bytes.toString(), length: body.end };
}

function bodyAt(received: Buffer, start: number, headers: Map<string, string>) {
  if (headers.get('transfer-encoding') === 'chunked') return chunkedBodyAt(received, start);
  const length = headers.get('content-length');
  if (length === undefined) throw new Error('The length of an answer is not told.');
  const end = start + Number(length);
  return received.length < end ? null : { bytes: received.subarray(start, end), end };
}

function chunkedBodyAt(received: Buffer, start: number) {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(received.subarray(at, lineEnd).toString('latin1'), 16);
    const end = lineEnd + 2 + size + 2;
    if (received.length < end) return null;
    if (size === 0) return { bytes: Buffer.concat(chunks), end };
    chunks.push(received.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
