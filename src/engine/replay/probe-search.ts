import { Injectable } from '@nestjs/common';
import { firstIdOf, timeOfId } from '../../platform/ids/first-id.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import { RevivalRepository } from './revival.repository.js';
import { type Found, startOf } from './scan/recovery-scope.js';
import { RecoveryWalks } from './scan/recovery-walks.js';

/** A disabled webhook misses all that there is, also what was made before the clock was set back. */
const LAST_ID = firstIdOf(Number.POSITIVE_INFINITY);
/** Rows looked at together, at first. What is sought is nearly always the first of them. */
const MIN_WINDOW = 100;
/** Filters of events may refuse the first ones that the webhook has no trigger for. */
const TAKEN = 50;

/** Finds what to probe a webhook with: the first trigger of its recovery, so that it gets nothing that it would not get anyway. */
@Injectable()
export class ProbeSearch {
  constructor(
    private readonly repository: RevivalRepository,
    private readonly walks: RecoveryWalks,
  ) {}

  /**
   * The oldest one that failed, or was cancelled when the webhook was disabled. If these are gone, erased or past retention,
   * the oldest notification that it missed since.
   *
   * @returns null if there is none.
   */
  async find({ id, userId, recoverFrom }: WebhookEntity, isStopped: () => boolean): Promise<Found | null> {
    if (recoverFrom === null) return null;
    const scope = {
      webhookId: id,
      userId,
      events: await this.repository.subscriptions(id),
      endId: LAST_ID,
    };
    const walk = this.walks.of({ missed: true });
    let after: string | null = startOf(timeOfId(recoverFrom));
    for (
      let window = MIN_WINDOW;
      after !== null && !isStopped();
      window = Math.min(2 * window, walk.maxWindow)
    ) {
      const { found, through } = await walk.next(scope, after, TAKEN, window);
      if (found[0]) return found[0];
      after = through;
    }
    return null;
  }
}
