import { Inject, Injectable } from '@nestjs/common';
import { Batcher } from '../platform/batcher.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { diagnosisOfAttempt } from '../trigger/attempt/attempt.js';
import { ExchangeRepository } from '../trigger/attempt/exchange.repository.js';
import type { DecryptedWebhook } from './decrypted-webhook.js';
import { NOTHING_WAITS, type Waiting } from './health/waiting.js';
import { WaitingRepository } from './health/waiting.repository.js';
import { healthOf } from './health/webhook-health.js';
import { storedWebhookOf, type Webhook } from './webhook.js';

/** Webhooks of several callers whose triggers are counted together. */
const MAX_COUNTED = 500;

/** Webhooks as answers show them, with their health. */
@Injectable()
export class WebhookViews {
  /** One at a time: each count reads the whole queue. */
  private readonly counts: Batcher<string, Waiting>;

  constructor(
    waiting: WaitingRepository,
    private readonly exchanges: ExchangeRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    const count = async (ids: string[]) => {
      const found = await waiting.of([...new Set(ids)]);
      return ids.map((id) => found.get(id) ?? NOTHING_WAITS);
    };
    this.counts = new Batcher(count, { maxItems: MAX_COUNTED });
  }

  async of(opened: DecryptedWebhook[]): Promise<Webhook[]> {
    const failedIds = opened.flatMap(({ row }) => row.lastFailedId ?? []);
    const [waiting, failures] = await Promise.all([
      Promise.all(opened.map(({ row }) => this.counts.add(row.id))),
      this.exchanges.lastFailures(failedIds),
    ]);
    const now = this.clock.now();
    return opened.map((one, index) => {
      const failure = failures.get(one.row.lastFailedId ?? '');
      const diagnosis = failure ? diagnosisOfAttempt(failure) : null;
      const health = healthOf(one.row, { waiting: waiting[index] as Waiting, diagnosis, now });
      return { ...storedWebhookOf(one), health };
    });
  }

  async one(opened: DecryptedWebhook): Promise<Webhook> {
    const [webhook] = await this.of([opened]);
    return webhook as Webhook;
  }
}
