import { Injectable } from '@nestjs/common';
import { Problem } from '../../common/problem.js';

/** How many large answers may be in progress in this process. Each may hold some MiB until its caller has read it. */
const MAX_PLACES = 16;
/** The same for one user, so that a user who does not read answers blocks nobody else. */
const MAX_OF_USER = 2;
/** Calls of one user that wait for a place. */
const MAX_WAITING = 100;
const MAX_WAIT_MS = 3000;

interface Waiting {
  user: string;
  enter(): void;
}

/** Limits how many large answers are made, or wait to be read, at once. */
@Injectable()
export class AnswerPlaces {
  private readonly taken = new Map<string, number>();
  private total = 0;
  /** In order of arrival. */
  private readonly waiting = new Set<Waiting>();

  /**
   * Waits for a place. Resolves with a function that gives it back, or with null if `gone` is aborted first.
   *
   * @throws Problem 429 `too_many_answers` if too many wait, or no place comes free within 3 s.
   */
  take(user: string, gone: AbortSignal): Promise<(() => void) | null> {
    if (gone.aborted) return Promise.resolve(null);
    if (this.hasRoomFor(user)) return Promise.resolve(this.enter(user));
    const ahead = [...this.waiting].filter((one) => one.user === user).length;
    if (ahead >= MAX_WAITING) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', giveUp);
        this.waiting.delete(waiting);
      };
      const giveUp = () => {
        leave();
        resolve(null);
      };
      const waiting: Waiting = {
        user,
        enter: () => {
          leave();
          resolve(this.enter(user));
        },
      };
      const timer = setTimeout(() => {
        leave();
        reject(tooMany());
      }, MAX_WAIT_MS);
      gone.addEventListener('abort', giveUp);
      this.waiting.add(waiting);
    });
  }

  private hasRoomFor(user: string): boolean {
    return this.total < MAX_PLACES && (this.taken.get(user) ?? 0) < MAX_OF_USER;
  }

  private enter(user: string): () => void {
    this.add(user, 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.add(user, -1);
      this.next();
    };
  }

  private next(): void {
    for (const one of this.waiting) {
      if (this.total >= MAX_PLACES) return;
      if (this.hasRoomFor(one.user)) one.enter();
    }
  }

  private add(user: string, change: 1 | -1): void {
    this.total += change;
    const count = (this.taken.get(user) ?? 0) + change;
    if (count === 0) this.taken.delete(user);
    else this.taken.set(user, count);
  }
}

const tooMany = () =>
  new Problem(
    429,
    'too_many_answers',
    'Too many answers of this kind are under way; read those that you asked for, then try again.',
    { headers: { 'Retry-After': '1' } },
  );
