import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { QueueSignals } from '../engine/ledger/queue-signals.js';
import type { WebhookRow } from '../engine/webhook/webhook-row.js';
import { UserMoves } from '../move/user-move.repository.js';
import type { Owner } from '../platform/access/owner.js';
import { notFound } from '../platform/problem.js';
import { Database } from '../store/database.js';
import { WebhookRepository } from './webhook.repository.js';

/** Whoever changes a webhook: in a transaction that has locked it, and known to the engine once that is committed. */
@Injectable()
export class WebhookLock {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookRepository,
    private readonly moves: UserMoves,
    private readonly signals: QueueSignals,
  ) {}

  /** @throws Problem 404, 409 `user_moved` */
  async changing<T>(
    owner: Owner,
    id: string,
    change: (manager: EntityManager, found: WebhookRow) => Promise<T>,
  ): Promise<T> {
    const changed = await this.database.transaction(async (manager) => {
      const found = await this.webhooks.findLocked(manager, owner, id);
      if (!found) throw notFound('webhook');
      await this.moves.checkStays(manager, found.row.userId);
      return change(manager, found);
    });
    this.signals.emit('webhookChanged', id);
    return changed;
  }
}
