import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { Database } from '../../database/database.js';
import { RateLimitEntity } from './rate-limit.entity.js';

interface Upserted {
  /** 1 where the row is new, 2 where there was one. */
  affectedRows: number;
  insertId: number;
}

/** What all instances count together; on MySQL and MariaDB only, as SQLite has no other instance. */
@Injectable()
export class RateLimitRepository {
  constructor(private readonly database: Database) {}

  get isShared(): boolean {
    return this.database.dialect === 'mysql';
  }

  /** @returns how many calls of this client all instances had reserved in this window before. */
  async reserve(client: string, windowStart: number, calls: number): Promise<number> {
    const hash = createHash('sha256').update(client).digest('hex');
    const { affectedRows, insertId } = await this.database.transaction((manager) =>
      // Adds and reads back in one statement.
      this.database.query<Upserted>(
        `INSERT INTO webhook_rate_limit (window_start, client_hash, calls) VALUES (?, ?, ?)
         ON DUPLICATE KEY UPDATE calls = LAST_INSERT_ID(calls + ?)`,
        [windowStart, hash, calls, calls],
        manager,
      ),
    );
    return affectedRows === 1 ? 0 : insertId - calls;
  }

  /** Forgets the windows that began before. */
  async purge(windowStart: number): Promise<void> {
    await this.database.transaction((manager) =>
      manager.delete(RateLimitEntity, { windowStart: LessThan(windowStart) }),
    );
  }
}
