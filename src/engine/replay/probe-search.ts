import { Injectable } from '@nestjs/common';
import { firstIdOf, timeOfId } from '../../platform/ids/first-id.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import { ReplayRepository } from './replay.repository.js';
import { type Found, startOf } from './scan/recovery-scope.js';
import { ReplayScans } from './scan/replay-scans.js';

/** A disabled webhook misses all that there is, also what was made before the clock was set back. */
const LAST_ID = firstIdOf(Number.POSITIVE_INFINITY);

/** Finds what to probe a disabled webhook with. */
@Injectable()
export class ProbeSearch {
  constructor(
    private readonly recoveries: ReplayRepository,
    private readonly scans: ReplayScans,
  ) {}

  /**
   * The first of what its recovery will bring, so that it gets nothing that it would not get anyway: the oldest one that failed,
   * or was cancelled when the webhook was disabled. If these are gone, erased or past retention, the oldest notification that it
   * missed since.
   */
  async first(
    { id: webhookId, userId, recoverFrom }: WebhookEntity,
    isStopping: () => boolean,
  ): Promise<Found | null> {
    if (recoverFrom === null) return null;
    const { events } = await this.recoveries.subscribed(webhookId);
    const scope = { webhookId, userId, events, endId: LAST_ID };
    return this.scans.first(scope, startOf(timeOfId(recoverFrom)), isStopping);
  }
}
