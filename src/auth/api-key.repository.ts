import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/cursor.js';
import { Database } from '../database/database.js';
import { ApiKeyEntity } from './api-key.entity.js';

@Injectable()
export class ApiKeyRepository {
  constructor(private readonly database: Database) {}

  async insert(key: ApiKeyEntity): Promise<void> {
    await this.rows.insert(key);
  }

  findByHash(hash: string): Promise<ApiKeyEntity | null> {
    return this.rows.findOneBy({ hash });
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.rows.exists());
  }

  list({ limit, after }: PageRequest, userId: string | undefined): Promise<ApiKeyEntity[]> {
    const query = this.rows
      .createQueryBuilder('key')
      .orderBy('key.id', 'DESC')
      .take(limit + 1);
    if (after) query.andWhere('key.id < :after', { after });
    if (userId !== undefined) query.andWhere('key.userId = :userId', { userId });
    return query.getMany();
  }

  async touch(id: string, lastUsedAt: number): Promise<void> {
    await this.rows.update({ id }, { lastUsedAt });
  }

  async delete(id: string): Promise<boolean> {
    return ((await this.rows.delete({ id })).affected ?? 0) > 0;
  }

  private get rows() {
    return this.database.manager.getRepository(ApiKeyEntity);
  }
}
