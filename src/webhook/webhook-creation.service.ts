import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { settingsPair } from '../engine/webhook/webhook-settings.js';
import { checkSchemeHeaders, schemeOf } from '../engine/webhook/webhook-signature.js';
import { IdempotencyRepository } from '../idempotency/idempotency.repository.js';
import { checkSameRequest, type IdempotentCall } from '../idempotency/idempotency-keys.js';
import { UserMoves } from '../move/user-move.repository.js';
import { checkUnmoved } from '../move/user-moved.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { columnJson, isObject, isText } from '../platform/json/column-json.js';
import { writeJson } from '../platform/json/write-json.js';
import { Problem } from '../platform/problem.js';
import { Vault } from '../platform/secret/vault.js';
import { Database } from '../store/database.js';
import { mergedAccess, NO_ACCESS } from './authentication/access.js';
import type { OpenedNewWebhook } from './decrypted-webhook.js';
import type { NewWebhookInput } from './dto/webhook-body.js';
import { newWebhook } from './new-webhook.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookSchemas } from './webhook.schemas.js';

/** Creates webhooks: one per idempotency key, and no more per user than the limit. */
@Injectable()
export class WebhookCreation {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookRepository,
    private readonly idempotency: IdempotencyRepository,
    private readonly moves: UserMoves,
    private readonly schemas: WebhookSchemas,
    private readonly vault: Vault,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
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
    const access = mergedAccess(input, NO_ACCESS, input.url);
    checkSchemeHeaders(schemeOf(input.signature), access.headers);
    const made = newWebhook(userId, { ...input, ...access }, this.vault, this.clock.now());
    const { row, events } = made;
    const created = {
      ...made,
      ...access,
      unreadable: [],
      previousSecretsExpireAt: [],
      pausedUntil: null,
      ...settingsPair(row, this.settings.delivery),
      replayed: false,
    };
    const earlier = await this.database.transaction(async (manager) => {
      // So that no two calls count at once.
      const move = await this.moves.findLocked(manager, userId);
      const first = call && (await this.takeKey(manager, call, created));
      if (first) return first;
      checkUnmoved(move);
      if ((await this.webhooks.count(manager, userId)) >= this.settings.webhooksPerUser)
        throw this.limitReached();
      await this.webhooks.insert(manager, { row, events });
      return null;
    });
    return earlier ?? created;
  }

  /** @returns the webhook that an earlier call with this key created; null if this call is the first. */
  private async takeKey(
    manager: EntityManager,
    call: IdempotentCall,
    created: OpenedNewWebhook,
  ): Promise<OpenedNewWebhook | null> {
    const { id, createdAt } = created.row;
    const blank = { sealedHeaders: '', sealedAuthentication: null, sealedTls: null, sealedSecret: '' };
    const row = { ...created.row, ...blank };
    const sealedAnswer = this.vault.seal(writeJson({ ...created, row }), call.hash);
    const taken = await this.idempotency.claim(manager, [
      { ...call, subjectId: id, sealedAnswer, createdAt },
    ]);
    const first = taken.get(call.hash);
    if (!first?.sealedAnswer || first.subjectId === id) return null;
    checkSameRequest(first, call);
    const plain = this.vault.tryOpen(first.sealedAnswer, call.hash);
    const cell = { column: 'webhook_idempotency.sealed_answer', row: first.subjectId };
    const answer = plain === null ? null : columnJson<OpenedNewWebhook>(plain, cell, isAnswer);
    if (answer === null) throw answerUnreadable(first.subjectId);
    return { ...answer, replayed: true };
  }

  private limitReached(): Problem {
    return new Problem(
      422,
      'webhook_limit_reached',
      `A user may have ${this.settings.webhooksPerUser} webhooks; delete one first.`,
    );
  }
}

const isAnswer = (value: unknown) =>
  isObject(value) && isObject(value.row) && Array.isArray(value.events) && isText(value.secret);

const answerUnreadable = (id: string) =>
  new Problem(
    409,
    'answer_unreadable',
    `An earlier call with this Idempotency-Key created the webhook ${id}, but its answer cannot be read any more: its ` +
      'encryption key is missing, or it was damaged. Find the webhook by its id; POST /v1/webhook/secret/rotate gives it a new secret.',
  );
