import { Injectable } from '@nestjs/common';
import type { Owner } from '../platform/access/owner.js';
import { notFound } from '../platform/problem.js';
import type { TriggerEntity } from '../store/tables/trigger/trigger.entity.js';
import { ExchangeRepository } from './attempt/exchange.repository.js';
import { type Trigger, type TriggerDetail, triggerDetailOf, triggerOf } from './trigger.js';
import { TriggerRepository } from './trigger.repository.js';

/** How many attempts are shown with a single trigger. */
const SHOWN_ATTEMPTS = 20;

/** Triggers as answers show them: lists and streams with their last attempts, a single one with its newest. */
@Injectable()
export class TriggerViews {
  constructor(
    private readonly triggers: TriggerRepository,
    private readonly exchanges: ExchangeRepository,
  ) {}

  /** @throws Problem 404 */
  async find(owner: Owner, id: string): Promise<TriggerDetail> {
    const trigger = await this.triggers.find(owner, id);
    if (!trigger) throw notFound('trigger');
    const [bodies, { attempts }] = await Promise.all([
      this.exchanges.bodies([trigger.notificationId]),
      this.exchanges.attempts(id, SHOWN_ATTEMPTS),
    ]);
    const lastAttempt = attempts[0] ?? null;
    const requests = await this.triggers.requests(attempts.slice(0, 1));
    const request = lastAttempt && (requests.get(lastAttempt) ?? null);
    const body = bodies.get(trigger.notificationId);
    return triggerDetailOf({ trigger, lastAttempt, request, body }, attempts.reverse());
  }

  async of(rows: TriggerEntity[], withData: boolean): Promise<Trigger[]> {
    const [lastAttempts, bodies] = await Promise.all([
      this.exchanges.lastAttempts(rows, withData),
      withData ? this.exchanges.bodies(rows.map((row) => row.notificationId)) : null,
    ]);
    const requests = await this.triggers.requests([...lastAttempts.values()]);
    return rows.map((trigger) => {
      const lastAttempt = lastAttempts.get(trigger.id) ?? null;
      const request = lastAttempt && (requests.get(lastAttempt) ?? null);
      const body = bodies?.get(trigger.notificationId);
      return triggerOf({ trigger, lastAttempt, request, body }, withData);
    });
  }
}
