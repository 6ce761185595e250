import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { Database } from '../../store/database.js';
import { RateLimitEntity } from '../../store/tables/access/rate-limit.entity.js';

interface Upserted {
  /** 1 for a new row, 2 for an existing one. */
  affectedRows: number;
  insertId: number;
}

/** The count that all instances share; on MySQL and MariaDB only, as SQLite has just one instance. */
@Injectable()
export class RateLimitRepository {
  constructor(private readonly database: Database) {}

  get isShared(): boolean {
    return this.database.dialect === 'mysql';
  }

  /** @returns how many calls all instances had reserved for this client in this window before. */
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

  /** Deletes the windows that began before `windowStart`. */
  async purge(windowStart: number): Promise<void> {
    await this.database.transaction((manager) =>
      manager.delete(RateLimitEntity, { windowStart: LessThan(windowStart) }),
    );
  }
}
