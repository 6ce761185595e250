import { Injectable } from '@nestjs/common';
import type { LimitSource, WebhookLimits } from '../queue/limit-source.js';
import type { Starts } from '../queue/rate-gate.js';
import { RateSlots } from '../queue/rate-slots.repository.js';
import { Receivers } from './receivers.js';

/** The limits of webhooks as they are read for sending, and the start times that all processes share. */
@Injectable()
export class ReceiverLimits implements LimitSource {
  constructor(
    private readonly receivers: Receivers,
    private readonly slots: RateSlots,
  ) {}

  limitsOf(webhookId: string): WebhookLimits | null | Promise<WebhookLimits | null> {
    return this.receivers.get(webhookId);
  }

  reserveStarts(webhookId: string, intervalMs: number, count: number): Promise<Starts> {
    return this.slots.reserve(webhookId, intervalMs, count);
  }
}
