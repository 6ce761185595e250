import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { writeJson } from '../../platform/json/write-json.js';
import { Database } from '../../store/database.js';
import type { Insert } from '../../store/insert.js';
import type { NewNotification } from './accept.repository.js';
import { type Skipped, setIdOf, skippedWebhooksOf } from './skipped.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How often a set in use is stored again, so that its row shows that it is in use. */
const STORE_AGAIN_MS = DAY_MS;
const MAX_REMEMBERED = 10_000;

/** What is skipped, by the id of its decision set. */
export type NamedSets = Map<string, Skipped>;

/** Which webhooks did not get a notification: each such set is stored once, and named by its notifications. */
@Injectable()
export class DecisionSets {
  /** When this process stored a set, and committed it. */
  private readonly storedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The rows of the sets that the transaction of their notifications has to store; null if all are stored. */
  missing(sets: NamedSets): Insert | null {
    if (sets.size === 0) return null;
    const missing = [...sets].filter(([id]) => !this.isStored(id));
    return missing.length === 0 ? null : this.insertOf(missing);
  }

  /**
   * The same for a transaction of the application. It may stay open for long, and those that store the same set would wait for
   * it. So its notification gets a copy of its own, and the set itself is stored after the commit.
   */
  within(manager: EntityManager, notification: NewNotification, sets: NamedSets): Insert | null {
    const [missing] = [...sets].filter(([id]) => !this.isStored(id));
    if (!missing) return null;
    const [, skipped] = missing;
    const own = setIdOf(`${notification.id} ${skipped}`);
    notification.decisionSet = own;
    this.database.onCommit(manager, () => void this.store(this.insertOf([missing])));
    return this.insertOf([[own, skipped]]);
  }

  /** Notes that the transaction with this insert was committed. Before that it might still roll back. */
  committed({ rows }: Insert): void {
    for (const [id, , storedAt] of rows) this.storedAt.set(id as string, storedAt as number);
  }

  private isStored(id: string): boolean {
    const now = this.clock.now();
    const storedAt = this.storedAt.get(id);
    return storedAt !== undefined && now - storedAt < STORE_AGAIN_MS && now >= storedAt;
  }

  private insertOf(sets: [string, Skipped][]): Insert {
    const now = this.clock.now();
    // Always in the same order, so that two transactions that store the same sets do not wait for each other in a circle.
    const sorted = sets.sort(([one], [other]) => (one < other ? -1 : 1));
    return {
      table: 'webhook_decision_set',
      columns: ['id', 'decisions', 'stored_at'],
      rows: sorted.map(([id, skipped]) => [id, writeJson(skippedWebhooksOf(skipped)), now]),
      renewed: 'stored_at',
    };
  }

  /** If it fails, the next notification stores the set. */
  private async store(insert: Insert): Promise<void> {
    await this.database.writeTogether([insert]).then(
      () => this.committed(insert),
      () => undefined,
    );
  }
}
