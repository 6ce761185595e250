import type { EntityManager } from 'typeorm';
import { isLockTimeout, LockedRowsError } from '../platform/database-error.js';
import type { Database } from './database.js';
import { ownTransaction } from './own-manager.js';

/** For how long after a lock was not free in time rows are examined before they are written, so that nobody waits again. */
const WARY_MS = 30_000;

interface LockOptions {
  /** The column of the primary key, or the first of its columns: then a key stands for all rows that it begins. @default id */
  key?: string;
  /**
   * Whether the work shares the locks of these rows, as others who do the same at this moment do: their locks are none of those that it
   * would wait for.
   */
  shared?: boolean;
}

/** MariaDB knows one way to say it, and MySQL the other. Each reads only its own comment. */
const SHARED = '/*M! LOCK IN SHARE MODE */ /*!80000 FOR SHARE */';

/**
 * Tells which rows of a table somebody else has locked, so that a batch can go on without them: a transaction that was forgotten in
 * a SQL client costs the rows that it holds, and not those beside them. It costs nothing until a lock was not free in time.
 */
export class LockedRows {
  /** By performance.now(). */
  private waryUntil = Number.NEGATIVE_INFINITY;

  private readonly key: string;
  private readonly mode: string;

  constructor(
    private readonly database: Database,
    private readonly table: string,
    { key = 'id', shared = false }: LockOptions = {},
  ) {
    this.key = key;
    this.mode = shared ? SHARED : 'FOR UPDATE';
  }

  /**
   * Runs work that locks these rows.
   *
   * @throws LockedRowsError if some of them are locked. Then nothing was done.
   */
  async guard<T>(keys: () => string[], work: () => Promise<T>): Promise<T> {
    if (performance.now() < this.waryUntil) await this.check(keys());
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) || error instanceof LockedRowsError) throw error;
      const locked = await this.among(keys());
      if (locked.size === 0) throw error;
      this.waryUntil = performance.now() + WARY_MS;
      throw new LockedRowsError(locked);
    }
  }

  /**
   * Runs work on those of these rows that nobody else has locked.
   *
   * @returns the others.
   */
  async skip(keys: string[], work: (free: string[]) => Promise<unknown>): Promise<Set<string>> {
    const locked = new Set<string>();
    for (let free = keys; free.length > 0; free = free.filter((key) => !locked.has(key))) {
      try {
        await this.guard(
          () => free,
          () => work(free),
        );
        break;
      } catch (error) {
        if (!(error instanceof LockedRowsError)) throw error;
        for (const key of error.keys) locked.add(key);
      }
    }
    return locked;
  }

  /** What it finds is no reason to go on checking: a row that is written all the time is locked for a moment at any check. */
  private async check(keys: string[]): Promise<void> {
    const locked = await this.among(keys);
    if (locked.size > 0) throw new LockedRowsError(locked);
  }

  /** READ UNCOMMITTED, as a row that is being inserted is locked, too, and nobody else sees it otherwise. */
  private among(keys: string[]): Promise<Set<string>> {
    if (keys.length === 0) return Promise.resolve(new Set());
    const { sql: pieces, dataSource } = this.database;
    const select = `SELECT ${this.key} AS id FROM ${this.table} ${pieces.byIndex('PRIMARY')} WHERE ${this.key} IN (?)`;
    const compare = async (manager: EntityManager) => {
      const read = (sql: string) => this.database.query<{ id: string }[]>(sql, [keys], manager);
      const free = await read(`${select} ${this.mode} SKIP LOCKED`);
      const left = new Map<string, number>();
      for (const { id } of await read(select)) left.set(id, (left.get(id) ?? 0) + 1);
      for (const { id } of free) left.set(id, (left.get(id) ?? 0) - 1);
      return new Set([...left].flatMap(([id, count]) => (count > 0 ? id : [])));
    };
    return ownTransaction(dataSource, compare, 'READ UNCOMMITTED');
  }
}
