import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../common/clock.js';
import { failpoint } from '../../common/failpoint.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { failureOf } from '../../egress/attempt-failure.js';
import { type Exchange, TRANSPORT, type Transport } from '../../transport/transport.js';
import { joinOwnValues } from '../../trigger/attempt/request-head.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { DeliveryMetrics } from '../report/delivery-metrics.js';
import type { EchoMask } from './echo-mask.js';
import { type Fault, messageOf } from './fault.js';
import { type FaultyTarget, isWanted, type Target, Targets } from './receivers.js';
import { ownHeaders } from './request-headers.js';

/** One attempt: what was sent and what came of it. */
export interface Attempt {
  /** 1, 2, ... */
  number: number;
  /** By the wall clock; the end is as much later as the attempt took, whatever that clock was set to meanwhile. */
  beginAt: number;
  endAt: number;
  /**
   * What the request said: the id of its head, and its own values of the headers that are open there. Null where it came
   * to no request.
   */
  request: { headId: string; ownValues: string } | null;
  exchange: Exchange;
  /** What may not be kept of the answer. */
  echoes: EchoMask | null;
}

export interface Sent {
  target: Target | FaultyTarget;
  attempt: Attempt;
}

/** Signs a notification and sends it, once. */
@Injectable()
export class Sender {
  private readonly logger = new Logger('Delivery');

  constructor(
    private readonly targets: Targets,
    private readonly metrics: DeliveryMetrics,
    @Inject(TRANSPORT) private readonly transport: Transport,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Rejects while the database is away, before anything is sent.
   *
   * @returns null where the trigger is not wanted any more.
   */
  async send(trigger: LeasedTrigger): Promise<Sent | null> {
    const target = await this.targets.get(trigger.webhookId);
    if (!isWanted(trigger, target)) return null;
    const { body } = trigger.notification;
    if (target.fault !== null) return this.unsendable(trigger, target, target.fault, target.cause);
    if (body === null) return this.unsendable(trigger, target, 'notification', 'It is not in the database.');
    failpoint('send-before');
    try {
      const attempt = await this.attempt(trigger, body, target);
      failpoint('send-after');
      return { target, attempt };
    } catch (error) {
      return this.unsendable(trigger, target, 'internal', (error as Error).stack ?? String(error));
    }
  }

  private async attempt(trigger: LeasedTrigger, body: Buffer, target: Target): Promise<Attempt> {
    const beginAt = this.clock.now();
    const begin = this.clock.monotonic();
    const number = trigger.attemptCount + 1;
    const own = ownHeaders(trigger.notification, body, target.keys, number, beginAt);
    // Not `AbortSignal.timeout`, which costs several times as much.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.settings.delivery.timeoutMs);
    try {
      const headers = { ...target.headers, ...own };
      const exchange = await this.transport.send({ url: target.url, headers, body }, deadline.signal);
      return {
        number,
        beginAt,
        endAt: beginAt + Math.round(this.clock.monotonic() - begin),
        request: { headId: target.head.id, ownValues: joinOwnValues(Object.values(own)) },
        exchange,
        echoes: target.echoes,
      };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Fails as an attempt does, and so comes to an end: a bad row is no reason to try for ever, nor to stop the others. */
  private unsendable(trigger: LeasedTrigger, target: Sent['target'], fault: Fault, cause: string): Sent {
    const { id, webhookId, attemptCount } = trigger;
    this.logger.error({ msg: 'trigger cannot be sent', trigger_id: id, webhook_id: webhookId, fault, cause });
    this.metrics.unsendable(fault);
    const now = this.clock.now();
    const error = failureOf('internal', messageOf(fault));
    const exchange = { response: null, error, phases: {} };
    return {
      target,
      attempt: {
        number: attemptCount + 1,
        beginAt: now,
        endAt: now,
        request: null,
        exchange,
        echoes: null,
      },
    };
  }
}
