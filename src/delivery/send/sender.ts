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
import { type FaultyReceiver, isWanted, type Receiver, Receivers } from './receivers.js';
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
  receiver: Receiver | FaultyReceiver;
  attempt: Attempt;
}

/** Signs a notification and sends it, once. */
@Injectable()
export class Sender {
  private readonly logger = new Logger('Delivery');

  constructor(
    private readonly receivers: Receivers,
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
    const receiver = await this.receivers.get(trigger.webhookId);
    if (!isWanted(trigger, receiver)) return null;
    const { body } = trigger.notification;
    if (receiver.fault !== null) return this.unsendable(trigger, receiver, receiver.fault, receiver.cause);
    if (body === null)
      return this.unsendable(trigger, receiver, 'notification', 'It is not in the database.');
    failpoint('send-before');
    try {
      const attempt = await this.attempt(trigger, body, receiver);
      failpoint('send-after');
      return { receiver, attempt };
    } catch (error) {
      return this.unsendable(trigger, receiver, 'internal', (error as Error).stack ?? String(error));
    }
  }

  private async attempt(trigger: LeasedTrigger, body: Buffer, receiver: Receiver): Promise<Attempt> {
    const beginAt = this.clock.now();
    const begin = this.clock.monotonic();
    const number = trigger.attemptCount + 1;
    const own = ownHeaders(trigger.notification, body, receiver.keys, number, beginAt);
    // Not `AbortSignal.timeout`, which costs several times as much.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.settings.delivery.timeoutMs);
    try {
      const headers = { ...receiver.headers, ...own };
      const exchange = await this.transport.send({ url: receiver.url, headers, body }, deadline.signal);
      return {
        number,
        beginAt,
        endAt: beginAt + Math.round(this.clock.monotonic() - begin),
        request: { headId: receiver.head.id, ownValues: joinOwnValues(Object.values(own)) },
        exchange,
        echoes: receiver.echoes,
      };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Fails as an attempt does, and so comes to an end: a bad row is no reason to try for ever, nor to stop the others. */
  private unsendable(trigger: LeasedTrigger, receiver: Sent['receiver'], fault: Fault, cause: string): Sent {
    const { id, webhookId, attemptCount } = trigger;
    this.logger.error({ msg: 'trigger cannot be sent', trigger_id: id, webhook_id: webhookId, fault, cause });
    this.metrics.unsendable(fault);
    const now = this.clock.now();
    const error = failureOf('internal', messageOf(fault));
    const exchange = { response: null, error, phases: {} };
    return {
      receiver,
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
