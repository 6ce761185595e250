import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UserMoves } from '../move/user-move.repository.js';
import { checkedOwner } from '../platform/access/owner.js';
import { Batcher } from '../platform/batcher.js';
import type { PageRequest } from '../rest/cursor.js';
import { Database } from '../store/database.js';
import { ApiKeyEntity, isOfUser } from '../store/tables/access/api-key.entity.js';
import { RevokedKeyEntity } from '../store/tables/access/revoked-key.entity.js';

const MAX_LOOKUPS = 500;
/** Under load, a query for each millisecond's calls costs a third less than one for each turn of the event loop. */
const LOOKUP_EVERY_MS = 1;

@Injectable()
export class ApiKeyRepository {
  private readonly byHash = this.lookups('hash');
  private readonly byId = this.lookups('id');

  constructor(
    private readonly database: Database,
    private readonly moves: UserMoves,
  ) {}

  /** @throws Problem 409 `user_moved` */
  async insert(key: ApiKeyEntity): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.checkStays(manager, key);
      await manager.insert(ApiKeyEntity, key);
    });
  }

  /** Concurrent calls share a query. None is answered from memory, so a revoked key is refused at once. */
  findByHash(hash: string): Promise<ApiKeyEntity | null> {
    return this.byHash.add(hash);
  }

  /** Finds a key by its id; otherwise like {@link findByHash}. */
  findById(id: string): Promise<ApiKeyEntity | null> {
    return this.byId.add(id);
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.database.run((manager) => manager.exists(ApiKeyEntity)));
  }

  list({ limit, after }: PageRequest, userId: string | undefined): Promise<ApiKeyEntity[]> {
    return this.database.run((manager) => {
      const query = manager
        .createQueryBuilder(ApiKeyEntity, 'key')
        .orderBy('key.id', 'DESC')
        .take(limit + 1);
      if (after) query.andWhere('key.id < :after', { after });
      if (userId !== undefined) query.andWhere('key.userId = :userId', { userId: checkedOwner(userId) });
      return query.getMany();
    });
  }

  async touch(id: string, lastUsedAt: number): Promise<void> {
    await this.database.run((manager) => manager.update(ApiKeyEntity, { id }, { lastUsedAt }));
  }

  /** Whether there was such a key, which somebody deleted. */
  wasRevoked(hash: string): Promise<boolean> {
    return this.database.run((manager) => manager.existsBy(RevokedKeyEntity, { hash }));
  }

  /** Its hash stays known as that of a revoked key. @returns whether there was one. @throws Problem 409 `user_moved` */
  delete(id: string, revokedAt: number): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const key = await manager.findOneBy(ApiKeyEntity, { id });
      if (!key) return false;
      await this.checkStays(manager, key);
      const { affected } = await manager.delete(ApiKeyEntity, { id });
      if (affected !== 1) return false;
      await manager.insert(RevokedKeyEntity, { hash: key.hash, revokedAt });
      return true;
    });
  }

  private async checkStays(manager: EntityManager, key: ApiKeyEntity): Promise<void> {
    if (isOfUser(key)) await this.moves.checkStays(manager, key.userId);
  }

  private lookups(column: 'hash' | 'id'): Batcher<string, ApiKeyEntity | null> {
    const options = { maxItems: MAX_LOOKUPS, everyMs: LOOKUP_EVERY_MS };
    return new Batcher((values) => this.find(column, values), options);
  }

  private async find(column: 'hash' | 'id', values: string[]): Promise<(ApiKeyEntity | null)[]> {
    const { sql, parameter } = this.database.sql.idList([...new Set(values)]);
    const rows = await this.database.entities(
      ApiKeyEntity,
      `SELECT id, user_id, name, scopes, hash, created_at, last_used_at FROM webhook_api_key WHERE ${column} IN ${sql}`,
      [parameter],
    );
    const found = new Map(rows.map((row) => [row[column], row]));
    return values.map((value) => found.get(value) ?? null);
  }
}
