import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { Cursors, type Page } from '../common/cursor.js';
import type { Owner } from '../common/principal.js';
import { notFound, Problem } from '../common/problem.js';
import { Vault } from '../common/vault.js';
import type { AttemptEntity } from './attempt.entity.js';
import { QueueSignals } from './queue-signals.js';
import type { ShownRequest } from './request-head.js';
import type { TriggerEntity } from './trigger.entity.js';
import { type TriggerFilter, TriggerRepository } from './trigger.repository.js';

/** A trigger with its last attempt and the bytes that it sends; `body` is null where it was not asked for. */
export interface TriggerView {
  trigger: TriggerEntity;
  lastAttempt: AttemptEntity | null;
  /** What the last attempt's request said before its body, credentials masked. */
  request: ShownRequest | null;
  body: Buffer | null;
  attempts?: AttemptEntity[];
}

/** What happened to each firing of a webhook. */
@Injectable()
export class TriggerService {
  private readonly cursors: Cursors;

  constructor(
    private readonly triggers: TriggerRepository,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
    vault: Vault,
  ) {
    this.cursors = new Cursors(vault, 'trigger');
  }

  /** @throws Problem 404 */
  async find(owner: Owner, id: string): Promise<TriggerView> {
    const trigger = await this.triggers.find(owner, id);
    if (!trigger) throw notFound('trigger');
    const [bodies, attempts] = await Promise.all([
      this.triggers.bodies([trigger.notificationId]),
      this.triggers.attempts(id),
    ]);
    const body = bodies.get(trigger.notificationId) ?? null;
    const lastAttempt = attempts.at(-1) ?? null;
    return { trigger, lastAttempt, request: await this.requestOf(lastAttempt), body, attempts };
  }

  async list(
    owner: Owner,
    query: TriggerFilter & { limit: number; cursor?: string | undefined; withData?: boolean },
  ): Promise<Page<TriggerView>> {
    const { limit, cursor, withData = false, ...filter } = query;
    const rows = await this.triggers.list(owner, filter, { limit, after: this.cursors.read(cursor) });
    const page = this.cursors.page(rows, limit);
    const [lastAttempts, bodies] = await Promise.all([
      this.triggers.lastAttempts(page.data),
      withData ? this.triggers.bodies(page.data.map((row) => row.notificationId)) : null,
    ]);
    const requests = await this.triggers.requests([...lastAttempts.values()]);
    const data = page.data.map((trigger) => {
      const lastAttempt = lastAttempts.get(trigger.id) ?? null;
      return {
        trigger,
        lastAttempt,
        request: lastAttempt && (requests.get(lastAttempt) ?? null),
        body: bodies?.get(trigger.notificationId) ?? null,
      };
    });
    return { data, nextCursor: page.nextCursor };
  }

  /** Makes the trigger due now, on a fresh schedule. @throws Problem 404, 409 `trigger_delivering` */
  async retry(owner: Owner, id: string): Promise<TriggerView> {
    await this.find(owner, id);
    if (!(await this.triggers.makeDue(owner, id, this.clock.now()))) {
      throw new Problem(
        409,
        'trigger_delivering',
        'An attempt of this trigger is under way; wait for its end.',
      );
    }
    this.signals.onReturned();
    return this.find(owner, id);
  }

  private async requestOf(attempt: AttemptEntity | null): Promise<ShownRequest | null> {
    if (!attempt) return null;
    return (await this.triggers.requests([attempt])).get(attempt) ?? null;
  }
}
