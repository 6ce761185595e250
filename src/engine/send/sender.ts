import { Inject, Injectable, Logger } from '@nestjs/common';
import { failureOf } from '../../network/attempt-failure.js';
import { Deadline } from '../../network/transport/deadline.js';
import type { Exchange } from '../../network/transport/transport.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { failpoint } from '../../platform/failpoint.js';
import { Instance } from '../instance/instance.js';
import { isWhole } from '../ledger/whole-body.js';
import { DeliveryMetrics } from '../metrics/delivery-metrics.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import type { EchoMask } from './echo-mask.js';
import { ErasedNotifications } from './erased-notifications.js';
import { type Fault, messageOf } from './fault.js';
import { joinOwnValues } from './head/request-head.js';
import { ReceiverCalls } from './receiver-calls.js';
import { type FaultyReceiver, isWanted, type Receiver, Receivers } from './receivers.js';
import { ownHeaders } from './request-headers.js';

/** One attempt: its request and the answer to it. */
export interface Attempt {
  /** 1, 2, ... */
  number: number;
  /** By the wall clock, in epoch milliseconds; `endAt` adds the measured duration, even if that clock was set meanwhile. */
  beginAt: number;
  endAt: number;
  /**
   * Its URL, the id of its head, and its own values for the headers left open there. Null if no request was made.
   */
  request: { url: URL; headId: string; ownValues: string } | null;
  exchange: Exchange;
  /** Masks the answer before it is kept; null if there is nothing to mask. */
  echoes: EchoMask | null;
}

export interface Sent {
  receiver: Receiver | FaultyReceiver;
  attempt: Attempt;
}

/** Nothing was sent, because the lease was not known to be valid when the request was about to go out. */
export const LAPSED = { error: 'The lease is not known to be valid.' };

/** Signs a notification and sends it once. */
@Injectable()
export class Sender {
  private readonly logger = new Logger('Delivery');

  constructor(
    private readonly receivers: Receivers,
    private readonly erased: ErasedNotifications,
    private readonly metrics: DeliveryMetrics,
    private readonly calls: ReceiverCalls,
    private readonly instance: Instance,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Rejects before anything is sent if the database is unavailable.
   *
   * @returns null if the trigger is no longer wanted; `LAPSED` if its lease is not known to be valid at the last moment.
   */
  send(trigger: LeasedTrigger): Promise<Sent | typeof LAPSED | null> {
    const kept = this.receivers.get(trigger.webhookId);
    return !(kept instanceof Promise) && isWanted(trigger, kept)
      ? this.sendTo(kept, trigger)
      : this.receiverOf(trigger, kept).then((receiver) => this.sendTo(receiver, trigger));
  }

  private async sendTo(
    receiver: Sent['receiver'] | null,
    trigger: LeasedTrigger,
  ): Promise<Sent | typeof LAPSED | null> {
    if (receiver === null || this.erased.has(trigger.notification.id)) return null;
    const { body } = trigger.notification;
    if (receiver.fault !== null) return this.unsendable(trigger, receiver, receiver.fault, receiver.cause);
    // An empty body was taken away; nothing makes such a trigger due, but it must never be sent.
    if (body === null || body.length === 0)
      return this.unsendable(trigger, receiver, 'notification', 'It is not in the database.');
    if (!isWhole(trigger.notification.id, body))
      return this.unsendable(trigger, receiver, 'notification', 'Its body is not what was stored.');
    failpoint('send-before');
    try {
      const attempt = await this.attempt(trigger, body, receiver);
      failpoint('send-after');
      return attempt === null ? LAPSED : { receiver, attempt };
    } catch (error) {
      return this.unsendable(trigger, receiver, 'internal', (error as Error).stack ?? String(error));
    }
  }

  /** Null if the trigger is not wanted any more. */
  private async receiverOf(
    trigger: LeasedTrigger,
    keeping: ReturnType<Receivers['get']>,
  ): Promise<Sent['receiver'] | null> {
    const { id, webhookId, isProbe } = trigger;
    const kept = await keeping;
    if (isWanted(trigger, kept)) return kept;
    // What is kept may be older than the trigger, whose event or webhook may have been switched on since.
    const receiver =
      (isProbe && (await this.receivers.probed(webhookId, id))) || (await this.receivers.reload(webhookId));
    return isWanted(trigger, receiver) ? receiver : null;
  }

  /** Null if one of its requests was not to be sent any more. */
  private async attempt(trigger: LeasedTrigger, body: Buffer, receiver: Receiver): Promise<Attempt | null> {
    const beginAt = this.clock.now();
    const begin = this.clock.monotonic();
    const number = trigger.attemptCount + 1;
    const own = ownHeaders(trigger, body, receiver.signer, number, beginAt);
    const deadline = new Deadline();
    const timer = setTimeout(() => deadline.pass(), receiver.settings.timeoutMs);
    let hasLapsed = false;
    const mayWrite = () => {
      hasLapsed = !this.instance.mayStart(trigger.leasedBy);
      return !hasLapsed;
    };
    try {
      const { exchange, echoes } = await this.calls.call(receiver, { own, body, mayWrite }, deadline);
      if (hasLapsed) return null;
      return {
        number,
        beginAt,
        endAt: beginAt + Math.round(this.clock.monotonic() - begin),
        request: {
          url: receiver.url,
          headId: receiver.head.id,
          ownValues: joinOwnValues(Object.values(own)),
        },
        exchange,
        echoes,
      };
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Fails like an attempt, with retries on the usual schedule: a bad row must neither be tried forever nor stop the
   * others.
   */
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
