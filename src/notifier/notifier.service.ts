import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CLOCK, type Clock } from '../common/clock.js';
import { userId } from '../common/fields.js';
import { newId } from '../common/ids.js';
import { toDateTime } from '../common/json-time.js';
import { invalid } from '../common/problem.js';
import { type Acceptance, type AcceptedTrigger, Intake } from '../delivery/intake.js';
import { EventKinds } from '../event/event-kinds.js';
import type { IdempotentCall } from '../idempotency/idempotency-keys.js';
import { KIND_OF_EVENT, type LifecycleEvents } from '../lifecycle/lifecycle-events.js';
import { bodyOf, type NotificationInput } from './notification.js';

/** A notification that is stored, with a trigger for each webhook that will get it. */
export interface AcceptedNotification {
  id: string;
  eventKind: string;
  /** RFC 3339, UTC, milliseconds. */
  triggeredAt: string;
  triggers: AcceptedTrigger[];
  /** True where an earlier call with the same idempotency key stored it. */
  replayed: boolean;
}

interface NotifyOptions {
  /** The caller's transaction: the notification commits with it, or not at all. */
  manager?: EntityManager;
}

interface AcceptOptions extends NotifyOptions {
  /** The idempotency key under which it comes; not with a manager. */
  call?: IdempotentCall | null;
}

/** Turns lifecycle events into notifications to every subscribed webhook. */
@Injectable()
export class NotifierService {
  private readonly kind: ReturnType<EventKinds['field']>;

  constructor(
    private readonly intake: Intake,
    kinds: EventKinds,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.kind = kinds.field();
  }

  /**
   * Notifies of a lifecycle event.
   *
   * @returns when it is committed, or, with a manager, when it is written to the caller's transaction.
   * @throws Problem 400 for a record that is not one, 413 past 1 MiB
   */
  notify<Name extends keyof LifecycleEvents>(
    name: Name,
    event: LifecycleEvents[Name],
    options: NotifyOptions = {},
  ): Promise<AcceptedNotification> {
    return this.accept(inputOf(name, event), options);
  }

  /** The same for an event whose record comes as JSON source. */
  async accept(
    input: NotificationInput,
    { manager, call = null }: AcceptOptions = {},
  ): Promise<AcceptedNotification> {
    this.check(input);
    const notification = this.notificationOf(input, this.clock.now());
    return accepted(
      await (manager
        ? this.intake.acceptWithin(manager, notification)
        : this.intake.accept({ notification, call })),
    );
  }

  /** Sends a sample, through the same pipeline, to one webhook, whatever it is subscribed to. */
  async test(
    webhook: { id: string; userId: string },
    eventKind: string,
    hops = 0,
  ): Promise<AcceptedNotification> {
    const analysis = [{ id: 'ana_sample', status: 'VALID' }];
    const input: NotificationInput = {
      eventKind,
      userId: webhook.userId,
      recordText: JSON.stringify({ id: 'rec_sample', status: 'VALID', analysis }),
      analysisId: 'ana_sample',
      traceparent: null,
      hops,
    };
    const notification = this.notificationOf(input, this.clock.now());
    return accepted(await this.intake.accept({ notification, testOf: webhook.id }));
  }

  private check(input: NotificationInput): void {
    const errors = [
      ...messagesOf(userId.safeParse(input.userId), '/user_id'),
      ...messagesOf(this.kind.safeParse(input.eventKind), '/event_kind'),
    ];
    if (input.eventKind === 'ANALYSIS_FINISHED' && typeof input.analysisId !== 'string') {
      errors.push({ pointer: '/analysis_id', message: 'is required for ANALYSIS_FINISHED' });
    }
    if (errors.length > 0) throw invalid(errors);
  }

  private notificationOf(input: NotificationInput, triggeredAt: number) {
    return {
      id: newId(),
      userId: input.userId,
      eventKind: input.eventKind,
      triggeredAt,
      traceparent: input.traceparent,
      hops: input.hops,
      body: bodyOf(input, toDateTime(triggeredAt)),
    };
  }
}

function inputOf<Name extends keyof LifecycleEvents>(
  name: Name,
  event: LifecycleEvents[Name],
): NotificationInput {
  return {
    eventKind: KIND_OF_EVENT[name],
    userId: event.user_id,
    // Undefined for what is no JSON at all; null says the same to the check of the record.
    recordText: JSON.stringify(event.record) ?? 'null',
    analysisId: 'analysis_id' in event ? event.analysis_id : null,
    traceparent: null,
    hops: 0,
  };
}

function accepted({ notification, triggers, replayed }: Acceptance): AcceptedNotification {
  const { id, eventKind, triggeredAt } = notification;
  return { id, eventKind, triggeredAt: toDateTime(triggeredAt), triggers, replayed };
}

function messagesOf(result: { error?: { issues: { message: string }[] } | undefined }, pointer: string) {
  return (result.error?.issues ?? []).map(({ message }) => ({ pointer, message }));
}
