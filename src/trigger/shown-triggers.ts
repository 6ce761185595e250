import { Injectable } from '@nestjs/common';
import type { TriggerEntity } from '../store/tables/trigger/trigger.entity.js';
import { ExchangeRepository } from './attempt/exchange.repository.js';
import { type Trigger, triggerOf } from './trigger.js';
import { TriggerRepository } from './trigger.repository.js';

/** Triggers as lists and streams show them, with their last attempts. */
@Injectable()
export class ShownTriggers {
  constructor(
    private readonly triggers: TriggerRepository,
    private readonly exchanges: ExchangeRepository,
  ) {}

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
