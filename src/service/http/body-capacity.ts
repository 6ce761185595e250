import type { ServerResponse } from 'node:http';
import { Problem } from '../../platform/problem.js';
import { Capacity } from '../../rest/capacity.js';

/** Bytes of all bodies in this process. */
const MAX_BYTES = 128 * 1024 * 1024;
/** A body that is no longer is not counted: the head of a request may have as many bytes. */
const UNCOUNTED_BYTES = 16 * 1024;

/**
 * Limits the bytes of bodies whose calls are not answered yet, as they are in memory until then. A client may have as many as it
 * leaves free: whoever sends slowly, or never ends, leaves others enough.
 */
export class BodyCapacity extends Capacity {
  constructor() {
    super({ total: MAX_BYTES, refusal: tooMany });
  }

  /**
   * Waits until the body of a call may be read.
   *
   * @param most the length of the longest body that the call takes; a longer one is not read.
   * @returns null if it may be at once.
   * @throws Problem 429 `too_many_bodies`
   */
  reserve(client: string, response: ServerResponse, most: number): Promise<boolean> | null {
    const { headers, complete } = response.req;
    const bytes = Number(headers['content-length'] ?? most);
    if (complete || bytes <= UNCOUNTED_BYTES || bytes > most) return null;
    return this.takeUntilAnswered(client, bytes, response);
  }
}

const tooMany = () =>
  new Problem(
    429,
    'too_many_bodies',
    'Too many large bodies are being sent at once. Send fewer of them at a time, or try again.',
    { headers: { 'Retry-After': '1' } },
  );
