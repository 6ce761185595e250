import { Injectable } from '@nestjs/common';
import { checkedOwner, type Owner } from '../../platform/access/owner.js';
import { isDuplicate } from '../../platform/database-error.js';
import type { PageRequest } from '../../rest/cursor.js';
import { Database } from '../../store/database.js';
import { RecoveryEntity } from '../../store/tables/webhook/recovery.entity.js';

/** The stored recoveries. */
@Injectable()
export class RecoveryRepository {
  constructor(private readonly database: Database) {}

  /** @returns false if one of the same webhook is running. */
  async insert(row: RecoveryEntity): Promise<boolean> {
    try {
      await this.database.transaction((manager) => manager.insert(RecoveryEntity, row));
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  find(owner: Owner, id: string): Promise<RecoveryEntity | null> {
    return this.database.run((manager) => manager.findOneBy(RecoveryEntity, { id, ...ownedBy(owner) }));
  }

  running(webhookId: string): Promise<RecoveryEntity | null> {
    return this.database.run((manager) => manager.findOneBy(RecoveryEntity, { runningOf: webhookId }));
  }

  list(
    owner: Owner,
    { webhookId }: { webhookId?: string | undefined },
    page: PageRequest,
  ): Promise<RecoveryEntity[]> {
    return this.database.run((manager) => {
      const query = manager
        .createQueryBuilder(RecoveryEntity, 'recovery')
        .where(ownedBy(owner))
        .orderBy('recovery.id', 'DESC')
        .take(page.limit + 1);
      if (webhookId !== undefined) query.andWhere('recovery.webhookId = :webhookId', { webhookId });
      if (page.after) query.andWhere('recovery.id < :after', { after: page.after });
      return query.getMany();
    });
  }

  /** Changes nothing if it has ended. Waits for a step that is under way; none begins afterwards. */
  async stop(id: string, now: number): Promise<void> {
    await this.database.transaction((manager) =>
      manager.update(
        RecoveryEntity,
        { id, state: 'RUNNING' },
        { state: 'STOPPED', runningOf: null, endAt: now },
      ),
    );
  }
}

const ownedBy = (owner: Owner) => (checkedOwner(owner) === null ? {} : { userId: owner as string });
