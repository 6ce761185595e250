import { Injectable } from '@nestjs/common';
import type { Owner } from '../platform/access/owner.js';
import { notFound } from '../platform/problem.js';
import { ExchangeRepository } from './attempt/exchange.repository.js';
import { type TriggerDetail, triggerDetailOf } from './trigger.js';
import { TriggerRepository } from './trigger.repository.js';

/** How many attempts are shown with a trigger. */
const SHOWN_ATTEMPTS = 20;

/** Single triggers with their newest attempts. */
@Injectable()
export class TriggerDetails {
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
}
