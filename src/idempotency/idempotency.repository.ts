import { Injectable } from '@nestjs/common';
import { type EntityManager, In, LessThan } from 'typeorm';
import { Database } from '../database/database.js';
import { IdempotencyEntity } from './idempotency.entity.js';

/** How long a key is remembered. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;
/** Little enough that nothing waits for it. */
const PURGED_AT_ONCE = 500;

/** The call that took a key, as far as it is stored. */
export type FirstCall = IdempotencyEntity;

/** By the hash of the call. */
export type FirstCalls = Map<string, FirstCall>;

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes keys for calls, in the calls' own transaction. Where another instance is taking the same key, this waits
   * for the end of its transaction.
   *
   * Of several calls with one key, the first in the list is the first.
   *
   * @returns who has each key now: one of these calls, or one that came before.
   */
  async claim(manager: EntityManager, calls: IdempotencyEntity[]): Promise<FirstCalls> {
    const hashes = calls.map(({ hash }) => hash);
    const oldest = Math.max(...calls.map(({ createdAt }) => createdAt)) - REMEMBERED_MS;
    await manager.delete(IdempotencyEntity, { hash: In(hashes), createdAt: LessThan(oldest) });
    await manager.createQueryBuilder().insert().into(IdempotencyEntity).values(calls).orIgnore().execute();
    const rows = await manager.findBy(IdempotencyEntity, { hash: In(hashes) });
    return new Map(rows.map((row) => [row.hash, row]));
  }

  /** Forgets some of what is too old to matter. @returns whether there may be more. */
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
    // A key may have been taken anew meanwhile. Locked in the order of the keys, as others lock them.
    const hashes = rows.map(({ hash }) => hash).sort();
    if (hashes.length > 0)
      await this.database.run((manager) => manager.delete(IdempotencyEntity, { ...old, hash: In(hashes) }));
    return rows.length === PURGED_AT_ONCE;
  }
}
