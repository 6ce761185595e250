import { AttemptFailure } from '../attempt-failure.js';
import { bodyText } from './body-text.js';
import { MAX_RESPONSE_BYTES, type ReceivedResponse } from './transport.js';

const MAX_HEADER_BYTES = 8 * 1024;

type RawHeaders = Record<string, string | string[] | undefined>;

/** Collects a response, up to the limits of {@link ReceivedResponse}. */
export class ResponseCollector {
  private readonly headers: Record<string, string>;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  /** @throws AttemptFailure `invalid_response` if the status is not 100 to 599 (RFC 9110, section 15). */
  constructor(
    private readonly status: number,
    headers: RawHeaders,
  ) {
    if (!(status >= 100 && status <= 599)) {
      throw new AttemptFailure('invalid_response', 'The response status is not between 100 and 599.');
    }
    this.headers = boundHeaders(headers);
  }

  /** True once the body is longer than the part that is kept: nothing more needs to be read. */
  get isFull(): boolean {
    return this.bytes > MAX_RESPONSE_BYTES;
  }

  add(chunk: Buffer): void {
    if (this.isFull) return;
    // Copy the part that is kept: a chunk may hold on to a large buffer of the parser.
    this.chunks.push(Buffer.from(chunk.subarray(0, MAX_RESPONSE_BYTES - this.bytes)));
    this.bytes += chunk.length;
  }

  /** @param ended true if the body was read to its end. */
  response(ended: boolean): ReceivedResponse {
    const truncated = !ended || this.isFull;
    const body = bodyText(joined(this.chunks), this.headers['content-type'], truncated);
    return { status: this.status, headers: this.headers, body, truncated };
  }
}

/** Nearly every answer is a single chunk. */
const joined = (chunks: Buffer[]) => (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));

/** Names in lower case, repeated values joined. The first header past the limit and all after it are dropped. */
function boundHeaders(headers: RawHeaders): Record<string, string> {
  const kept: [string, string][] = [];
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const joined = Array.isArray(value) ? value.join(', ') : value;
    bytes += Buffer.byteLength(name) + Buffer.byteLength(joined);
    if (bytes > MAX_HEADER_BYTES) break;
    kept.push([name.toLowerCase(), joined]);
  }
  // Assignment would fail for a header named "__proto__".
  return Object.fromEntries(kept);
}
