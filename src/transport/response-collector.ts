import { AttemptFailure } from '../egress/attempt-failure.js';
import { MAX_RESPONSE_BYTES, type ReceivedResponse } from './transport.js';

const MAX_HEADER_BYTES = 8 * 1024;

type RawHeaders = Record<string, string | string[] | undefined>;

/** Gathers a response up to the bounds of {@link ReceivedResponse}. */
export class ResponseCollector {
  private readonly headers: Record<string, string>;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  /** @throws AttemptFailure `invalid_response` where the status is none of RFC 9110, section 15: 100 to 599. */
  constructor(
    private readonly status: number,
    headers: RawHeaders,
  ) {
    if (!(status >= 100 && status <= 599)) {
      throw new AttemptFailure('invalid_response', 'The response status is not between 100 and 599.');
    }
    this.headers = boundHeaders(headers);
  }

  /** True once there is more body than is kept: nothing more needs to be read. */
  get isFull(): boolean {
    return this.bytes > MAX_RESPONSE_BYTES;
  }

  add(chunk: Buffer): void {
    if (this.isFull) return;
    // The parser's buffer may be large and live on: keep a copy of what counts only.
    this.chunks.push(Buffer.from(chunk.subarray(0, MAX_RESPONSE_BYTES - this.bytes)));
    this.bytes += chunk.length;
  }

  /** @param ended whether the body came to its end. */
  response(ended: boolean): ReceivedResponse {
    return {
      status: this.status,
      headers: this.headers,
      body: Buffer.concat(this.chunks).toString('utf8'),
      truncated: !ended || this.isFull,
    };
  }
}

/** Names in lower case, repeated values joined; whole headers are left out once the bound is reached. */
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
  // Not by assignment: a receiver may name a header "__proto__".
  return Object.fromEntries(kept);
}
