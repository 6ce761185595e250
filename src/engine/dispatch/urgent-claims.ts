import { Injectable } from '@nestjs/common';
import { UrgentTriggerRepository } from '../ledger/urgent-trigger.repository.js';
import { NOBODY } from '../queue/user-shares.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import { Receivers } from '../send/receivers.js';
import { Claims } from './claims.js';

/** Triggers read in one look. */
const AT_ONCE = 100;

/** Claims triggers that were requested manually. They go first, even if their receiver is paused. */
@Injectable()
export class UrgentClaims {
  constructor(
    private readonly repository: UrgentTriggerRepository,
    private readonly queues: WebhookQueues,
    private readonly receivers: Receivers,
    private readonly claims: Claims,
  ) {}

  async claim(): Promise<void> {
    const found = await this.repository.find(AT_ONCE);
    if (found.length === 0) return;
    const pending = found.filter(({ isPending }) => isPending);
    const users = await this.receivers.usersOf(pending.map(({ webhookId }) => webhookId));
    const refused = pending.filter(
      ({ webhookId }) => !this.queues.reserve(webhookId, users.get(webhookId) ?? NOBODY, true),
    );
    const chosen = pending.filter((trigger) => !refused.includes(trigger));
    await this.claims.claim(chosen, true);
    // A trigger without room keeps its mark; one that another process took does not need it any more.
    await this.repository.forget(found.filter((one) => !refused.includes(one)).map(({ id }) => id));
  }
}
