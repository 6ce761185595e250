import { Injectable } from '@nestjs/common';
import { type EntityManager, In, LessThan, MoreThanOrEqual } from 'typeorm';
import { Database } from '../database/database.js';
import { IdempotencyEntity } from './idempotency.entity.js';

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
  constructor(private readonly database: Database) {}

  /**
   * Takes keys for calls, in the calls' own transaction. If another instance is taking the same key, this waits for the end
   * of its transaction. Of several calls with one key, the first in the list gets it.
   *
   * @returns the call that holds each key now: one of these, or an earlier one.
   */
  async claim(manager: EntityManager, calls: IdempotencyEntity[]): Promise<FirstCalls> {
    const hashes = calls.map(({ hash }) => hash);
    const oldest = Math.max(...calls.map(({ createdAt }) => createdAt)) - REMEMBERED_MS;
    await manager.delete(IdempotencyEntity, { hash: In(hashes), createdAt: LessThan(oldest) });
    await manager.createQueryBuilder().insert().into(IdempotencyEntity).values(calls).orIgnore().execute();
    const rows = await manager.findBy(IdempotencyEntity, { hash: In(hashes) });
    return new Map(rows.map((row) => [row.hash, row]));
  }

  /** The call that holds a key; null if none does. */
  find(hash: string, now: number): Promise<FirstCall | null> {
    const createdAt = MoreThanOrEqual(now - REMEMBERED_MS);
    return this.database.run((manager) => manager.findOneBy(IdempotencyEntity, { hash, createdAt }));
  }

  /** Deletes some expired keys. @returns whether there may be more. */
  async purgeSome(now: number): Promise<boolean> {
    const old = { createdAt: LessThan(now - REMEMBERED_MS) };
    const rows = await this.database.run((manager) =>
      manager.find(IdempotencyEntity, {
        select: { hash: true },
        where: old,
        order: { createdAt: 'ASC' },
        take: PURGED_AT_ONCE,
      }),
    );
    // Checks the age again, as a key may have been claimed anew since. Sorted, so that rows are locked in the same
    // order as elsewhere.
    const hashes = rows.map(({ hash }) => hash).sort();
    if (hashes.length > 0)
      await this.database.run((manager) => manager.delete(IdempotencyEntity, { ...old, hash: In(hashes) }));
    return rows.length === PURGED_AT_ONCE;
  }
}
