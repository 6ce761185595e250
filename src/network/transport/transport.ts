import type { AttemptError, AttemptErrorDetail } from '../attempt-error.js';
import type { AttemptPhases } from '../phase-clock.js';
import type { NamedTls } from '../tls/client-tls.js';

/** One POST to a receiver. `body` is sent byte for byte; `headers` lack only `Host` and `Content-Length`. */
export interface OutgoingRequest {
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
  /** What the connection shows and trusts in place of the service's defaults. Others may not use that connection. */
  tls?: NamedTls | undefined;
  /**
   * Asked when the connection is there and the first byte would be written, and again if the request is written once more.
   * If it answers false nothing is written, and the exchange fails; how does not matter.
   */
  mayWrite?: () => boolean;
}

/** The target of a request (RFC 9112, section 3.2.1). An empty query is not the same as none, and `search` lacks it. */
export const targetOf = ({ pathname, search, href }: URL): string =>
  search === '' && href.endsWith('?') ? `${pathname}?` : pathname + search;

/** A response. `body` is at most 16 KiB of its raw bytes, as text ({@link bodyText}). */
export interface ReceivedResponse {
  status: number;
  /** Names in lower case; repeated headers joined by `, `; at most 8 KiB of names and values are kept. */
  headers: Record<string, string>;
  body: string;
  /** True if the response was longer than the part that is kept, or was cut before its end. */
  truncated: boolean;
}

/**
 * The outcome of one HTTP exchange. Any status code is a response.
 * An error has no response: nothing usable came back. `detail` helps to diagnose it.
 */
export type Exchange =
  | { response: ReceivedResponse; error: null; phases: AttemptPhases }
  | { response: null; error: AttemptError; phases: AttemptPhases; detail?: AttemptErrorDetail };

/**
 * Sends a request to a receiver. Expected failures (refused, reset, timed out, blocked, malformed) are values, never
 * exceptions. Redirects are not followed, and nothing is decompressed.
 */
export interface Transport {
  /** @param signal aborts at the attempt's deadline; whatever is still open is then destroyed. */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<Exchange>;
  /** Closes every pooled connection. */
  close(): Promise<void>;
}

/** Injection token of the {@link Transport}. */
export const TRANSPORT = Symbol('TRANSPORT');

/** In bytes. How much of a response body is read and kept. A longer one is cut, and its connection closed. */
export const MAX_RESPONSE_BYTES = 16 * 1024;

/**
 * In bytes. How much is read for one response in all. Interim responses, blank lines and chunk extensions count neither
 * as headers nor as body, and a flood of them would block the process.
 */
export const MAX_READ_BYTES = 256 * 1024;
