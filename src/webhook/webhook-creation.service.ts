import { Inject, Injectable } from '@nestjs/common';
import type { IdempotentCall } from '../idempotency/idempotency-keys.js';
import { UserMoves } from '../move/user-move.repository.js';
import { checkUnmoved } from '../move/user-moved.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { Problem } from '../platform/problem.js';
import { Database } from '../store/database.js';
import { CreationKeys } from './creation-keys.service.js';
import type { OpenedNewWebhook } from './decrypted-webhook.js';
import { DecryptedWebhooks } from './decrypted-webhooks.service.js';
import type { NewWebhookInput } from './dto/webhook-body.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookSchemas } from './webhook.schemas.js';

/** Creates webhooks: one per idempotency key, and no more per user than the limit. */
@Injectable()
export class WebhookCreation {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookRepository,
    private readonly opened: DecryptedWebhooks,
    private readonly keys: CreationKeys,
    private readonly moves: UserMoves,
    private readonly schemas: WebhookSchemas,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * See `WebhookService.create`.
   *
   * @throws Problem also 409 `user_moved`, 422 `idempotency_key_reused`
   */
  async create(
    userId: string,
    input: NewWebhookInput,
    call: IdempotentCall | null,
  ): Promise<OpenedNewWebhook> {
    await this.schemas.checkAddresses(input);
    const created = this.opened.make(userId, input);
    const { row, events } = created;
    const earlier = await this.database.transaction(async (manager) => {
      // So that no two calls count at once.
      const move = await this.moves.findLocked(manager, userId);
      const first = call && (await this.keys.take(manager, call, created));
      if (first) return first;
      checkUnmoved(move);
      if ((await this.webhooks.count(manager, userId)) >= this.settings.webhooksPerUser)
        throw this.limitReached();
      await this.webhooks.insert(manager, { row, events });
      return null;
    });
    return earlier ?? created;
  }

  private limitReached(): Problem {
    return new Problem(
      422,
      'webhook_limit_reached',
      `A user may have ${this.settings.webhooksPerUser} webhooks; delete one first.`,
    );
  }
}
