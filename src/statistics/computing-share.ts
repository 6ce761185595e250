import { Injectable } from '@nestjs/common';
import { systemClock } from '../platform/clock.js';
import { Problem } from '../platform/problem.js';

/** How long a user's statistics may compute at once, in milliseconds. */
const BURST_MS = 2000;
/** The part of the time in which they may compute from then on. */
const SHARE = 1 / 4;
/** Rows are fetched and the answer is written besides, which takes about as long as what is timed. */
const WHOLE = 2;
/** More is not owed: the process may have stood still while something was timed. */
const MAX_OWED_MS = 2 * BURST_MS;
/** With so many accounts, the ones that owe nothing are forgotten. */
const MANY_USERS = 1000;

interface Account {
  /** Milliseconds that were computed and are not made up for yet, as it was at this time. */
  owed: number;
  at: number;
}

/**
 * Leaves most of the process to others than the user who asks for statistics again and again: 1,500 minutes of a receiver that
 * answers with very many statuses compute some 0.1 s, and a key may ask for them ten times a second.
 */
@Injectable()
export class ComputingShare {
  /** What is computed takes real time, whatever clock an application is tested with. */
  private readonly clock = systemClock;
  private readonly accounts = new Map<string, Account>();

  /** @throws Problem 429 `too_many_answers`, while the user owes more than 2 s */
  check(user: string): void {
    const account = this.accounts.get(user);
    const over = account ? this.owed(account) - BURST_MS : 0;
    if (over > 0) throw tooMany(Math.ceil(over / SHARE / 1000));
  }

  /** @param ms how long something was computed for this user. */
  charge(user: string, ms: number): void {
    const account = this.accounts.get(user) ?? this.open(user);
    account.owed = Math.min(MAX_OWED_MS, this.owed(account) + ms * WHOLE);
    account.at = this.clock.monotonic();
  }

  private open(user: string): Account {
    if (this.accounts.size >= MANY_USERS) this.forget();
    const account = { owed: 0, at: 0 };
    this.accounts.set(user, account);
    return account;
  }

  private forget(): void {
    for (const [user, account] of this.accounts) if (this.owed(account) === 0) this.accounts.delete(user);
  }

  private owed({ owed, at }: Account): number {
    return Math.max(0, owed - (this.clock.monotonic() - at) * SHARE);
  }
}

const tooMany = (seconds: number) =>
  new Problem(
    429,
    'too_many_answers',
    `Too many statistics are asked for; try again in ${seconds} s, or ask for a shorter span or a longer step.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
