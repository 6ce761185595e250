import { Injectable } from '@nestjs/common';
import { NOBODY } from '../queue/round-robin.js';
import { Receivers } from '../send/receivers.js';
import { DueRepository, type DueTrigger, type QueuePlace } from './due.repository.js';
import type { Candidate } from './due-scan.js';

/** The due triggers, with the users whose shares of the capacity they take. */
@Injectable()
export class DueTriggers {
  constructor(
    private readonly repository: DueRepository,
    private readonly receivers: Receivers,
  ) {}

  /**
   * Triggers that are due by `now` and stand behind a place in the queue, oldest first.
   *
   * @param full webhooks that are left out. Without theirs, it looks further.
   */
  async read(
    now: number,
    behind: QueuePlace,
    limit: number,
    full: string[],
  ): Promise<{ found: DueTrigger[]; isLast: boolean }> {
    if (full.length > 0) return this.repository.dueOfOthers(now, behind, limit, full);
    const found = await this.repository.due(now, behind, limit);
    return { found, isLast: found.length < limit };
  }

  async withUsers(found: DueTrigger[]): Promise<Candidate[]> {
    const users = await this.receivers.usersOf(found.map(({ webhookId }) => webhookId));
    return found.map(({ id, webhookId, dueAt }) => ({
      id,
      webhookId,
      dueAt,
      userId: users.get(webhookId) ?? NOBODY,
    }));
  }

  /** When the first one after `time` is due; null if there is none. */
  nextAfter(time: number): Promise<number | null> {
    return this.repository.nextDueAfter(time);
  }
}
