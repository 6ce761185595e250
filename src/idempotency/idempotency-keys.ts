import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { writeJson } from '../platform/json/write-json.js';
import { invalid, Problem } from '../platform/problem.js';
import type { IdempotencyEntity } from '../store/tables/access/idempotency.entity.js';

const HEADER = 'Idempotency-Key';
const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** A call that carries an idempotency key. */
export interface IdempotentCall {
  hash: string;
  requestHash: string;
}

interface KeyedRequest {
  /** The header's value, if the request has it. */
  key: string | undefined;
  /** What errors call the key. @default the header */
  name?: string;
  userId: string;
  /** The operation called: another operation or user may use the same key. */
  operation: string;
  /** The body as it was sent. */
  body: Uint8Array | string;
}

/** Tells a client that its answer repeats that of an earlier call. */
export const REPLAYED_HEADER = 'Idempotent-Replayed';

/** `Idempotency-Key`: a repeated call gets the first call's answer and has no further effect. */
@Injectable()
export class IdempotencyKeys {
  private readonly running = new Set<string>();

  /**
   * Runs a call under the idempotency key of its request, if it has one.
   *
   * @throws Problem 400 for an invalid key, 409 `idempotency_key_in_use` while the first call runs
   */
  async run<T>(
    { key, name = HEADER, userId, operation, body }: KeyedRequest,
    work: (call: IdempotentCall | null) => Promise<T>,
  ): Promise<T> {
    if (key === undefined) return work(null);
    checkKey(key, name);
    const hash = sha256(writeJson([userId, operation, key]));
    if (this.running.has(hash)) throw keyInUse();
    this.running.add(hash);
    try {
      return await work({ hash, requestHash: sha256(body) });
    } finally {
      this.running.delete(hash);
    }
  }
}

/** @param name what errors call the key. @throws Problem 400 */
export function checkKey(key: unknown, name: string): void {
  // A pattern takes null for the text "null".
  if (typeof key === 'string' && PRINTABLE.test(key)) return;
  throw invalid([{ pointer: name, message: 'must be 1 to 255 printable ASCII characters' }]);
}

/** @throws Problem 422 if the first call had another body. */
export function checkSameRequest(first: IdempotencyEntity, call: IdempotentCall): void {
  if (first.requestHash === call.requestHash) return;
  throw new Problem(
    422,
    'idempotency_key_reused',
    `This ${HEADER} was used for a call with another body; use a new one for a new call.`,
  );
}

/** 409: what was stored under this key is not known yet. */
export function keyInUse(): Problem {
  return new Problem(
    409,
    'idempotency_key_in_use',
    `The first call with this ${HEADER} is still running; try again.`,
    {
      headers: { 'Retry-After': '1' },
    },
  );
}

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex');
