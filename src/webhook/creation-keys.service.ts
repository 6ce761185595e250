import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { IdempotencyRepository } from '../idempotency/idempotency.repository.js';
import { checkSameRequest, type IdempotentCall } from '../idempotency/idempotency-keys.js';
import { columnJson, isObject, isText } from '../platform/json/column-json.js';
import { writeJson } from '../platform/json/write-json.js';
import { Problem } from '../platform/problem.js';
import { Vault } from '../platform/secret/vault.js';
import type { OpenedNewWebhook } from './decrypted-webhook.js';

/** The idempotency keys under which webhooks were created, each with the sealed answer, as the secret is shown only once. */
@Injectable()
export class CreationKeys {
  constructor(
    private readonly idempotency: IdempotencyRepository,
    private readonly vault: Vault,
  ) {}

  /** @returns the webhook that an earlier call with this key created; null if this call is the first. */
  async take(
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
