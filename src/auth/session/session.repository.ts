import { Injectable } from '@nestjs/common';
import { IsNull, LessThanOrEqual, MoreThan } from 'typeorm';
import { Batcher } from '../../platform/batcher.js';
import { Database } from '../../store/database.js';
import { idList } from '../../store/json-rows.js';
import { SessionEntity } from '../../store/tables/access/session.entity.js';

/** Sessions and links of one key. The oldest end first, so that whoever logs in again and again fills no table. */
const MOST_OF_A_KEY = 100;
const MAX_LOOKUPS = 500;

/**
 * ```
 * link ──its code──► open ──left, over, or too many of its key──► gone
 *   └──────────not used in time──────────────────────────────────►
 * ```
 */
@Injectable()
export class SessionRepository {
  private readonly lookups = new Batcher((ids: string[]) => this.keysOf(ids), { maxItems: MAX_LOOKUPS });

  constructor(private readonly database: Database) {}

  /** Also removes those that are over. */
  async insert(session: SessionEntity, now: number): Promise<void> {
    await this.database.transaction(async (manager) => {
      await manager.delete(SessionEntity, { expiresAt: LessThanOrEqual(now) });
      const { keyId } = session;
      const [last] = await manager.find(SessionEntity, {
        where: { keyId },
        order: { id: 'DESC' },
        skip: MOST_OF_A_KEY - 1,
        take: 1,
      });
      if (last) await manager.delete(SessionEntity, { keyId, id: LessThanOrEqual(last.id) });
      await manager.insert(SessionEntity, session);
    });
  }

  /** Opens the session of a link, once. @returns null if there is no such link, or no more. */
  async redeem(code: string, now: number, expiresAt: number): Promise<SessionEntity | null> {
    return this.database.transaction(async (manager) => {
      const link = await manager.findOneBy(SessionEntity, { code, expiresAt: MoreThan(now) });
      if (!link) return null;
      // Of two who use it at once, the second finds no code.
      const { affected } = await manager.update(
        SessionEntity,
        { id: link.id, code },
        { code: null, expiresAt },
      );
      return affected === 1 ? { ...link, code: null, expiresAt } : null;
    });
  }

  /** The key of an open session; null if it was left. Never answered from memory, so leaving holds on every instance. */
  keyOf(id: string): Promise<string | null> {
    return this.lookups.add(id);
  }

  async delete(id: string): Promise<void> {
    await this.database.run((manager) => manager.delete(SessionEntity, { id, code: IsNull() }));
  }

  private async keysOf(ids: string[]): Promise<(string | null)[]> {
    const { sql, parameter } = idList(this.database.dialect, [...new Set(ids)]);
    const rows = await this.database.query<{ id: string; key_id: string }[]>(
      `SELECT id, key_id FROM webhook_session WHERE id IN ${sql} AND code IS NULL`,
      [parameter],
    );
    const found = new Map(rows.map((row) => [row.id, row.key_id]));
    return ids.map((id) => found.get(id) ?? null);
  }
}
