import type { AttemptError } from '../egress/attempt-error.js';
import type { AttemptPhases } from '../egress/phase-clock.js';

/** One POST to a receiver. `body` is sent byte for byte; `headers` are complete but for `Host` and `Content-Length`. */
export interface OutgoingRequest {
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
}

/** What came back. `body` is at most 16 KiB of the raw response, decoded as UTF-8 with replacement characters. */
export interface ReceivedResponse {
  status: number;
  /** Names in lower case; repeated headers joined by `, `; at most 8 KiB of names and values are kept. */
  headers: Record<string, string>;
  body: string;
  /** True where the response was longer than what is kept, or was cut before its end. */
  truncated: boolean;
}

/**
 * The outcome of one exchange, as far as the wire goes: any status code is a response.
 * A failure carries no response: nothing usable came back.
 */
export type Exchange =
  | { response: ReceivedResponse; error: null; phases: AttemptPhases }
  | { response: null; error: AttemptError; phases: AttemptPhases };

/**
 * Carries a request to a receiver. Expected failures (refused, reset, timed out, blocked, malformed) are
 * values, never exceptions; redirects are not followed; nothing is decompressed.
 */
export interface Transport {
  /** @param signal aborts when the attempt's deadline passes; whatever is left open is then destroyed. */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<Exchange>;
  /** Closes every pooled connection. */
  close(): Promise<void>;
}

/** Injection token of the {@link Transport}. */
export const TRANSPORT = Symbol('TRANSPORT');

/** The part of a response that is read and kept, in bytes. What is longer is cut, and the connection with it. */
export const MAX_RESPONSE_BYTES = 16 * 1024;

/**
 * What is read of an answer at all, in bytes: interim responses, blank lines and chunk extensions are in neither bound,
 * and a flood of them would take the process.
 */
export const MAX_READ_BYTES = 256 * 1024;
