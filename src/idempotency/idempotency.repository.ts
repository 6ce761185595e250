import { Injectable } from '@nestjs/common';
import { type EntityManager, In, LessThan } from 'typeorm';
import { Database } from '../database/database.js';
import { IdempotencyEntity } from './idempotency.entity.js';

/** How long a key is remembered. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes keys for calls, in the calls' own transaction. Where another instance is taking the same key, this waits
   * for the end of its transaction.
   *
   * @returns for each key that was taken before, the row of the call that took it.
   */
  async claim(manager: EntityManager, calls: IdempotencyEntity[]): Promise<Map<string, IdempotencyEntity>> {
    const hashes = calls.map(({ hash }) => hash);
    const oldest = Math.max(...calls.map(({ createdAt }) => createdAt)) - REMEMBERED_MS;
    await manager.delete(IdempotencyEntity, { hash: In(hashes), createdAt: LessThan(oldest) });
    await manager.createQueryBuilder().insert().into(IdempotencyEntity).values(calls).orIgnore().execute();
    const rows = await manager.findBy(IdempotencyEntity, { hash: In(hashes) });
    const wanted = new Map(calls.map((call) => [call.hash, call.subjectId]));
    return new Map(
      rows.filter((row) => wanted.get(row.hash) !== row.subjectId).map((row) => [row.hash, row]),
    );
  }

  /** Forgets what is too old to matter. */
  async purge(now: number): Promise<void> {
    await this.database.manager.delete(IdempotencyEntity, { createdAt: LessThan(now - REMEMBERED_MS) });
  }
}
