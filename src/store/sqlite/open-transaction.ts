import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager, QueryRunner } from 'typeorm';
import { OwnTransactionError } from '../../platform/database-error.js';

/** How often to see whether the transaction has run something, in milliseconds. */
const POLL_MS = 50;
/**
 * After so many checks without a step, the transaction is taken to wait for the call that waits for it. Checks are counted, and
 * not time, so that after a standstill of the process whatever was ready runs first.
 */
const IDLE_POLLS = 5;

/** The connection, as the one transaction that has it uses it. */
export interface Connection {
  /** How many statements were begun on it. */
  readonly steps: number;
  isRunning(): boolean;
}

const inside = new AsyncLocalStorage<OpenTransaction>();
const opened = new WeakMap<QueryRunner, OpenTransaction>();

/**
 * A transaction that is open on SQLite's one connection:
 *
 *   open ──its callback calls without its manager──► awaited ──it ends──► the call runs
 *                                                        │ it runs nothing meanwhile
 *                                                        ▼
 *                                                    the call is refused: each waits for the other
 *
 * A call that the callback does not await is thus not refused, nor are those of others, which wait for the end.
 */
export class OpenTransaction {
  /** Whether somebody warns of it already. */
  isWatched = false;
  private readonly over = Promise.withResolvers<void>();
  private isOver = false;
  private watching: Promise<void> | undefined;

  constructor(readonly connection: Connection) {}

  /** Marks whatever the callback does as the transaction's own. */
  within<T>(callback: () => T): T {
    return inside.run(this, callback);
  }

  end(): void {
    this.isOver = true;
    this.over.resolve();
  }

  /** Resolves at its end. @throws OwnTransactionError as soon as it only waits */
  ended(): Promise<void> {
    this.watching ??= this.watch().finally(() => {
      this.watching = undefined;
    });
    return this.watching;
  }

  private async watch(): Promise<void> {
    for (let idle = 0, seen = -1; !this.isOver; ) {
      const { steps } = this.connection;
      idle = this.connection.isRunning() || steps !== seen ? 0 : idle + 1;
      if (idle === IDLE_POLLS) throw new OwnTransactionError();
      seen = steps;
      await Promise.race([this.over.promise, pause(POLL_MS)]);
    }
  }

  /** The transaction on the connection in whose callback the caller runs; null if there is none. */
  static around(connection: Connection): OpenTransaction | null {
    const own = inside.getStore();
    return own && own.connection === connection && !own.isOver ? own : null;
  }
}

type Callback = (manager: EntityManager) => unknown;

/** Tells which transaction a query runner has begun; undefined once it is over. */
export function noteOpen(runner: QueryRunner, transaction: OpenTransaction | undefined): void {
  if (transaction) opened.set(runner, transaction);
  else opened.delete(runner);
}

/** From here on, what a callback of the manager's `transaction` does is known to be inside of that transaction. */
export function knowInside(manager: EntityManager): EntityManager {
  const begin = manager.transaction.bind(manager) as (...given: unknown[]) => Promise<unknown>;
  const marked = (callback: Callback) => (inner: EntityManager) => {
    const open = inner.queryRunner && opened.get(inner.queryRunner);
    return open ? open.within(() => callback(inner)) : callback(inner);
  };
  // The level of isolation may come before it, and undefined after it.
  manager.transaction = ((...given: unknown[]) =>
    begin(
      ...given.map((one) => (typeof one === 'function' ? marked(one as Callback) : one)),
    )) as EntityManager['transaction'];
  return manager;
}
