import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { joinOwnValues } from '../trigger/request-head.js';
import type { EchoMask } from './echo-mask.js';
import type { LeasedTrigger } from './leased-trigger.js';
import { ownHeaders } from './request-headers.js';
import type { Target } from './targets.js';
import { type Exchange, TRANSPORT, type Transport } from './transport.js';

/** One attempt: what was sent and what came of it. */
export interface Attempt {
  /** 1, 2, ... */
  number: number;
  beginAt: number;
  endAt: number;
  /** What the request said: the id of its head, and its own values of the headers that are open there. */
  request: { headId: string; ownValues: string };
  exchange: Exchange;
  /** What may not be kept of the answer. */
  echoes: EchoMask | null;
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
    const own = ownHeaders(trigger, target.keys, number, beginAt);
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
      request: { headId: target.head.id, ownValues: joinOwnValues(Object.values(own)) },
      exchange,
      echoes: target.echoes,
    };
  }
}
