import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { HOPS_HEADER } from '../common/hops.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { LeasedTrigger } from './leased-trigger.js';
import { signatureHeader } from './signature.js';
import type { Target } from './targets.js';
import { type Exchange, TRANSPORT, type Transport } from './transport.js';

const USER_AGENT = 'webhook-notification-service/1 (+https://www.standardwebhooks.com)';

/** One attempt: what was sent and what came of it. */
export interface Attempt {
  /** 1, 2, ... */
  number: number;
  beginAt: number;
  endAt: number;
  /** What the request said, credentials masked. */
  request: { url: string; headers: Record<string, string> };
  exchange: Exchange;
}

/** Signs a notification and sends it, once. */
@Injectable()
export class Sender {
  constructor(
    @Inject(TRANSPORT) private readonly transport: Transport,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async attempt(trigger: LeasedTrigger, target: Target): Promise<Attempt> {
    const beginAt = this.clock.now();
    const number = trigger.attemptCount + 1;
    const own = ownHeaders(trigger, target, number, beginAt);
    // Not `AbortSignal.timeout`, which costs several times as much.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.settings.delivery.timeoutMs);
    const exchange = await this.transport.send(
      { url: target.url, headers: { ...target.headers, ...own }, body: trigger.notification.body },
      deadline.signal,
    );
    clearTimeout(timer);
    return {
      number,
      beginAt,
      endAt: this.clock.now(),
      request: { url: target.url.href, headers: { ...target.maskedHeaders, ...own } },
      exchange,
    };
  }
}

/** The headers of Standard Webhooks, and the service's own beside them. */
function ownHeaders({ notification }: LeasedTrigger, target: Target, number: number, now: number) {
  const timestamp = Math.floor(now / 1000);
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': USER_AGENT,
    'webhook-id': notification.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureHeader(target.keys, notification.id, timestamp, notification.body),
    'webhook-attempt': String(number),
    [HOPS_HEADER]: String(notification.hops + 1),
    ...(notification.traceparent ? { traceparent: notification.traceparent } : {}),
  };
}
