import { Injectable } from '@nestjs/common';
import { Problem } from '../platform/problem.js';

const MAX_STREAMS = 200;
const MAX_OF_USER = 10;
const RETRY_SECONDS = 15;

/** Limits how many streams are open in this process, and of one user. */
@Injectable()
export class StreamLimit {
  private readonly taken = new Map<string, number>();
  private total = 0;

  /** @returns a function that ends the stream's share of the limit, once. @throws Problem 429 `too_many_streams` */
  take(user: string): () => void {
    if ((this.taken.get(user) ?? 0) >= MAX_OF_USER)
      throw tooMany(`This user has ${MAX_OF_USER} streams open already. Close one, then try again.`);
    if (this.total >= MAX_STREAMS)
      throw tooMany(`This process has ${MAX_STREAMS} streams open already. Try again, or read the list.`);
    this.add(user, 1);
    let isIn = true;
    return () => {
      if (isIn) this.add(user, -1);
      isIn = false;
    };
  }

  private add(user: string, change: 1 | -1): void {
    this.total += change;
    const count = (this.taken.get(user) ?? 0) + change;
    if (count === 0) this.taken.delete(user);
    else this.taken.set(user, count);
  }
}

const tooMany = (detail: string) =>
  new Problem(429, 'too_many_streams', detail, { headers: { 'Retry-After': String(RETRY_SECONDS) } });
