import { Inject, Injectable } from '@nestjs/common';
import type { NewNotification } from '../engine/accept/accept.repository.js';
import { isOperational } from '../engine/webhook/operational-kind.js';
import { EventKinds, WEBHOOK_TEST } from '../event/event-kinds.js';
import { OPERATIONAL_EVENTS, operationalExample } from '../event/operational-kinds.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { newId } from '../platform/ids/ids.js';
import { toDateTime } from '../platform/json/json-time.js';
import { type FieldError, invalid } from '../platform/problem.js';
import { userId } from '../rest/fields.js';
import { type NotificationInput, payloadOf, recordTextOf } from './payload.js';
import { isPlainUserId } from './plain-notification.js';

const SAMPLE = { id: 'rec_sample', status: 'VALID', analysis: [{ id: 'ana_sample', status: 'VALID' }] };

/** Makes notifications of what is reported, of the kinds that there are. */
@Injectable()
export class NewNotifications {
  private readonly kind: ReturnType<EventKinds['field']>;
  private readonly knownKinds: ReadonlySet<string>;

  constructor(
    private readonly kinds: EventKinds,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.kind = kinds.field();
    this.knownKinds = new Set(kinds.list().map(({ kind }) => kind));
  }

  /** The kind of a lifecycle event. @throws Problem 400 */
  kindOf(name: string): string {
    const kind = this.kinds.ofEvent(name);
    if (kind !== undefined) return kind;
    if (OPERATIONAL_EVENTS.has(name)) throw invalid([{ pointer: '/event_kind', message: madeHere(name) }]);
    const known = this.kinds.events().join(', ');
    const message = `is unknown: no kind has the event "${name}". Add its kind to the option eventKinds, or use one of ${known}`;
    throw invalid([{ pointer: '/event_kind', message }]);
  }

  /** @throws Problem 400 naming every bad field */
  check(input: NotificationInput): void {
    const errors: FieldError[] = [];
    if (!isPlainUserId(input.userId)) errors.push(...messagesOf(userId.safeParse(input.userId), '/user_id'));
    if (isOperational(input.eventKind))
      errors.push({ pointer: '/event_kind', message: madeHere(input.eventKind) });
    else if (!this.knownKinds.has(input.eventKind))
      errors.push(...messagesOf(this.kind.safeParse(input.eventKind), '/event_kind'));
    if (input.eventKind === 'ANALYSIS_FINISHED' && typeof input.analysisId !== 'string') {
      errors.push({ pointer: '/analysis_id', message: 'is required for ANALYSIS_FINISHED' });
    }
    if (errors.length > 0) throw invalid(errors);
  }

  make(input: NotificationInput, isTest = false): NewNotification {
    const triggeredAt = this.clock.now();
    const isHostKind =
      isOperational(input.eventKind) || this.kinds.hostExample(input.eventKind) !== undefined;
    return {
      id: newId(),
      userId: input.userId,
      eventKind: input.eventKind,
      triggeredAt,
      traceparent: input.traceparent,
      hops: input.hops,
      aboutWebhookId: null,
      isTest,
      ...payloadOf(input, isHostKind, toDateTime(triggeredAt)),
    };
  }

  /** @throws Problem 400 for a kind that there is no test of */
  checkTest(eventKind: string): void {
    if (eventKind !== WEBHOOK_TEST) this.kinds.check(eventKind, 'eventKind');
  }

  /** A test with a sample of a kind. */
  makeTest(eventKind: string, userId: string, hops: number): NewNotification {
    const sample = this.kinds.hostExample(eventKind) ?? operationalExample(eventKind) ?? SAMPLE;
    const recordText = recordTextOf(sample);
    return this.make(
      { eventKind, userId, recordText, analysisId: 'ana_sample', traceparent: null, hops },
      true,
    );
  }
}

const madeHere = (name: string) =>
  `cannot be ${name}: the service itself makes it of what happens to webhooks and triggers, and nobody else reports it`;

function messagesOf(result: { error?: { issues: { message: string }[] } | undefined }, pointer: string) {
  return (result.error?.issues ?? []).map(({ message }) => ({ pointer, message }));
}
