import { Injectable } from '@nestjs/common';
import { type EntityManager, In, MoreThanOrEqual } from 'typeorm';
import { Database } from '../store/database.js';
import { indexHint } from '../store/index-hint.js';
import { idList } from '../store/json-rows.js';
import { LockedRows } from '../store/locked-rows.js';
import { IdempotencyEntity } from '../store/tables/access/idempotency.entity.js';

/** How long a key is kept: 24 hours. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;
/** Small enough not to delay other statements. */
const PURGED_AT_ONCE = 500;

/** The stored call that took a key first. */
export type FirstCall = IdempotencyEntity;

/** By the hash of the call. */
export type FirstCalls = Map<string, FirstCall>;

@Injectable()
export class IdempotencyRepository {
  private readonly locked: LockedRows;

  constructor(private readonly database: Database) {
    this.locked = new LockedRows(database, 'webhook_idempotency', { key: 'hash' });
  }

  /**
   * Runs the transaction that takes keys for calls.
   *
   * @throws LockedRowsError if somebody else keeps some of the keys locked for long. Then nothing was stored.
   */
  inTransaction<T>(calls: IdempotencyEntity[], work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const hashes = () => calls.map(({ hash }) => hash);
    return this.locked.guard(hashes, () => this.database.transaction(work));
  }

  /**
   * Takes keys for calls, in the calls' own transaction. If another instance is taking the same key, this waits for the end
   * of its transaction. Of several calls with one key, the first in the list gets it.
   *
   * @returns the call that holds each key now: one of these, or an earlier one.
   */
  async claim(manager: EntityManager, calls: IdempotencyEntity[]): Promise<FirstCalls> {
    const hashes = calls.map(({ hash }) => hash);
    const oldest = Math.max(...calls.map(({ createdAt }) => createdAt)) - REMEMBERED_MS;
    await this.forget(manager, hashes, oldest);
    await manager.createQueryBuilder().insert().into(IdempotencyEntity).values(calls).orIgnore().execute();
    const rows = await manager.findBy(IdempotencyEntity, { hash: In(hashes) });
    return new Map(rows.map((row) => [row.hash, row]));
  }

  /** The call that holds a key; null if none does. */
  find(hash: string, now: number): Promise<FirstCall | null> {
    const createdAt = MoreThanOrEqual(now - REMEMBERED_MS);
    return this.database.run((manager) => manager.findOneBy(IdempotencyEntity, { hash, createdAt }));
  }

  /** Deletes some expired keys, those that nobody has locked. @returns whether there may be more. */
  async purgeSome(now: number): Promise<boolean> {
    const { dialect } = this.database;
    const oldest = now - REMEMBERED_MS;
    const purge = async (manager: EntityManager) => {
      const rows = await this.database.query<{ hash: string }[]>(
        `SELECT hash FROM webhook_idempotency WHERE created_at < ? ORDER BY created_at LIMIT ${PURGED_AT_ONCE}
         ${dialect === 'mysql' ? 'FOR UPDATE SKIP LOCKED' : ''}`,
        [oldest],
        manager,
      );
      const hashes = rows.map(({ hash }) => hash);
      if (hashes.length > 0) await this.forget(manager, hashes, oldest);
      return rows.length === PURGED_AT_ONCE;
    };
    // On SQLite both run by themselves, so that nobody waits in between.
    return dialect === 'mysql' ? this.database.transaction(purge) : this.database.run(purge);
  }

  /** Deletes keys that are older than this; one may have been taken anew. Finds each by its key, and waits for no other row. */
  private async forget(manager: EntityManager, hashes: string[], oldest: number): Promise<void> {
    const { dialect } = this.database;
    const [list, hint] = [idList(dialect, hashes), indexHint(dialect, 'PRIMARY')];
    const from = dialect === 'mysql' ? `t FROM webhook_idempotency AS t ${hint}` : 'FROM webhook_idempotency';
    await this.database.query(
      `DELETE ${from} WHERE hash IN ${list.sql} AND created_at < ?`,
      [list.parameter, oldest],
      manager,
    );
  }
}
