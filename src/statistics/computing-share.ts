import { Injectable } from '@nestjs/common';
import { systemClock } from '../platform/clock.js';
import { Problem } from '../platform/problem.js';

/** How long a user's statistics may compute at once, in milliseconds. */
const BURST_MS = 2000;
/** The part of the time in which they may compute from then on. */
const SHARE = 1 / 4;
/** Rows are fetched and the answer is written besides, which takes about as long as what is timed. */
const WHOLE = 2;
/** Calls for the statistics of one user that wait. */
const MAX_WAITING = 100;
/** Of so many users it is looked which are forgotten. */
const MANY_USERS = 1000;

interface Account {
  /** Milliseconds that were computed and are not made up for yet, as it was at this time. */
  owed: number;
  at: number;
  waiting: number;
  /** The last one of those that wait has ended. */
  last: Promise<unknown>;
}

/**
 * Leaves most of the process to others than the one whose statistics are asked for again and again: 1,500 minutes of a receiver
 * that answers with very many statuses compute some 0.1 s, and a key may ask for them ten times a second.
 *
 *   asked for ──the user owes less than 2 s, and nobody waits──► computes: the user owes what it took
 *       └─────► waits in line ──those ahead have ended, and time has made up for the rest──► computes
 */
@Injectable()
export class ComputingShare {
  /** What is computed takes real time, whatever clock an application is tested with. */
  private readonly clock = systemClock;
  private readonly accounts = new Map<string, Account>();

  /** @throws Problem 429 `too_many_answers`, if too many wait for this user's statistics already */
  async run<T>(user: string, work: () => Promise<T>): Promise<T> {
    const account = this.accounts.get(user);
    if (!account || (account.waiting === 0 && this.tooMuch(account) <= 0)) return work();
    if (account.waiting >= MAX_WAITING) throw tooMany();
    account.waiting++;
    const mine = account.last.then(() => this.madeUp(account)).then(work);
    account.last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      account.waiting--;
    }
  }

  /** @param ms how long something was computed for this user. */
  charge(user: string, ms: number): void {
    const account = this.accounts.get(user) ?? this.open(user);
    account.owed = this.owed(account) + ms * WHOLE;
    account.at = this.clock.monotonic();
  }

  private open(user: string): Account {
    if (this.accounts.size >= MANY_USERS) this.forget();
    const account = { owed: 0, at: 0, waiting: 0, last: Promise.resolve() };
    this.accounts.set(user, account);
    return account;
  }

  private forget(): void {
    for (const [user, account] of this.accounts)
      if (account.waiting === 0 && this.owed(account) === 0) this.accounts.delete(user);
  }

  private async madeUp(account: Account): Promise<void> {
    for (let ms = this.tooMuch(account); ms > 0; ms = this.tooMuch(account))
      await new Promise<void>((resolve) => this.clock.after(Math.ceil(ms / SHARE), resolve));
  }

  private tooMuch(account: Account): number {
    return this.owed(account) - BURST_MS;
  }

  private owed({ owed, at }: Account): number {
    return Math.max(0, owed - (this.clock.monotonic() - at) * SHARE);
  }
}

const tooMany = () =>
  new Problem(
    429,
    'too_many_answers',
    'Too many statistics are asked for. Ask for fewer at a time, for a shorter span or for a longer step.',
    { headers: { 'Retry-After': '10' } },
  );
