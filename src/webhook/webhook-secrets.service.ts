import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import type { Owner } from '../common/principal.js';
import { notFound } from '../common/problem.js';
import { newSecret } from '../common/signing-secret.js';
import { Vault } from '../common/vault.js';
import { Database } from '../database/database.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { WebhookRepository } from './webhook.repository.js';

/** A new signing secret, and until when the one before signs as well; null where it does not. */
export interface RotatedSecret {
  secret: string;
  /** Epoch milliseconds. */
  previousExpiresAt: number | null;
}

/** What the requests to a webhook are signed with. */
@Injectable()
export class WebhookSecrets {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookRepository,
    private readonly signals: QueueSignals,
    private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Makes a new secret. For `overlapSeconds` the one that it replaces signs too, so that receivers may change over one
   * by one; at most those two sign.
   *
   * @throws Problem 404
   */
  async rotate(owner: Owner, id: string, overlapSeconds: number): Promise<RotatedSecret> {
    const secret = newSecret();
    const previousExpiresAt = overlapSeconds === 0 ? null : this.clock.now() + overlapSeconds * 1000;
    await this.database.transaction(async (manager) => {
      const found = await this.webhooks.find(owner, id, manager, true);
      if (!found) throw notFound('webhook');
      await this.webhooks.update(manager, id, {
        sealedSecret: this.vault.seal(secret, id),
        sealedPreviousSecret: previousExpiresAt === null ? null : found.row.sealedSecret,
        previousSecretExpiresAt: previousExpiresAt,
      });
    });
    this.signals.onWebhookChanged(id);
    return { secret, previousExpiresAt };
  }
}
