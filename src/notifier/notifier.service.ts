import { Injectable, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { Acceptor } from '../engine/accept/acceptor.js';
import { WEBHOOK_TEST, type WebhookEventKind } from '../event/event-kinds.js';
import { IdempotencyKeys, type IdempotentCall } from '../idempotency/idempotency-keys.js';
import { DepartedUsers } from '../move/departed-users.js';
import { isUserMoved } from '../move/user-moved.js';
import type { Owner } from '../platform/access/owner.js';
import { writeJson } from '../platform/json/write-json.js';
import { invalid, notFound } from '../platform/problem.js';
import { Slices } from '../platform/slices.js';
import { Start } from '../platform/start.js';
import { withoutStatement } from '../platform/without-statement.js';
import { parseBody } from '../rest/validation.js';
import type { TriggerDetail } from '../trigger/trigger.js';
import { TriggerViews } from '../trigger/trigger-views.js';
import { WebhookRepository } from '../webhook/webhook.repository.js';
import { AcceptGate } from './accept-gate.js';
import { type AcceptedNotification, acceptedOf } from './accepted-notification.js';
import { testInput } from './dto/notification.dto.js';
import type { LifecycleEvents } from './lifecycle/lifecycle-events.js';
import { NewNotifications } from './new-notifications.js';
import { checkNotifyOptions, type NotifyOptions, refuseManager } from './notify-options.js';
import { type NotificationInput, recordTextOf } from './payload.js';

/** A test of a webhook. */
export interface WebhookTest {
  /** The webhook's id. */
  id: string;
  /** The kind to send an example of. @default `WEBHOOK_TEST` */
  eventKind?: WebhookEventKind | 'WEBHOOK_TEST' | undefined;
}

interface AcceptOptions extends Pick<NotifyOptions, 'manager'> {
  /** The idempotency key of the call. It cannot be used together with a manager. */
  call?: IdempotentCall | null;
}

/** Turns lifecycle events into notifications to every subscribed webhook, until the application's server is closed. */
@Injectable()
export class NotifierService implements OnModuleDestroy, OnApplicationShutdown {
  private readonly gate = new AcceptGate();
  private readonly slices = new Slices();

  constructor(
    private readonly acceptor: Acceptor,
    private readonly notifications: NewNotifications,
    private readonly webhooks: WebhookRepository,
    private readonly departed: DepartedUsers,
    private readonly triggers: TriggerViews,
    private readonly start: Start,
    private readonly keys: IdempotencyKeys,
  ) {}

  /**
   * Notifies of a lifecycle event. The record is serialised at the call, so later changes to it are not sent.
   *
   * @param name such as `analysis.finished`, or an event that the application registered.
   * @returns once the notification is committed, or, with a manager, once it is written to the caller's transaction.
   * @throws Problem 400 for an invalid record, an unknown event, or a key beside a manager; 413 past 1 MiB; 409 `user_moved`, or
   *   `idempotency_key_in_use` while the first call runs; 422 `idempotency_key_reused` for another event; 503
   *   `database_unavailable`, or `shut_down` once the application's server is closed
   * @throws Error before the application has started, for a manager that is in no transaction, and for an unknown option
   */
  async notify<Name extends keyof LifecycleEvents>(
    name: Name,
    event: LifecycleEvents[Name],
    options: NotifyOptions = {},
  ): Promise<AcceptedNotification> {
    checkNotifyOptions(options);
    refuseManager([event]);
    const { manager, idempotencyKey } = options;
    if (manager && idempotencyKey !== undefined) throw keyBesideManager();
    if (typeof event !== 'object' || event === null) {
      throw invalid([{ pointer: '', message: 'The event must be an object with user_id and record' }]);
    }
    const input: NotificationInput = {
      eventKind: this.notifications.kindOf(name),
      userId: event.user_id,
      recordText: recordTextOf(event.record),
      analysisId: 'analysis_id' in event ? event.analysis_id : null,
      traceparent: null,
      hops: 0,
    };
    if (idempotencyKey === undefined) return this.accept(input, manager ? { manager } : {});
    // Before it is written as JSON, which not every value can be.
    this.notifications.check(input);
    const { eventKind, userId, recordText, analysisId } = input;
    const body = writeJson([eventKind, recordText, typeof analysisId === 'string' ? analysisId : null]);
    const request = { key: idempotencyKey, name: 'idempotencyKey', userId, operation: 'notifier', body };
    return this.keys.run(request, (call) => this.accept(input, { call }));
  }

  /** Accepts as {@link notify} does a record that comes as JSON source. */
  async accept(
    input: NotificationInput,
    { manager, call = null }: AcceptOptions = {},
  ): Promise<AcceptedNotification> {
    this.start.check();
    this.gate.enter();
    try {
      // Only an application has a transaction of its own, and only the service's users move.
      const read = manager ? undefined : this.departed.check(input.userId);
      if (read) await read;
      const notification = await this.slices.run(() => {
        this.notifications.check(input);
        return this.notifications.make(input);
      });
      return acceptedOf(
        await (manager
          ? this.acceptor.acceptWithin(manager, notification)
          : this.acceptor.accept({ notification, call })),
      );
    } catch (error) {
      // What was stored before the user moved is not to be reported again in the other cell.
      const earlier = call && isUserMoved(error) ? await this.acceptor.earlier(call, input.eventKind) : null;
      if (earlier) return acceptedOf(earlier);
      // The application will log the error that it catches.
      throw withoutStatement(error);
    } finally {
      this.gate.leave();
    }
  }

  /**
   * Sends a sample to one webhook through the same pipeline, whatever the webhook is subscribed to.
   *
   * @param hops how many webhook services the call that asks for it has passed through.
   * @returns its trigger.
   * @throws Problem 400 naming every bad field, also for an unknown kind; 404, 409 `user_moved`
   */
  async test(owner: Owner, test: WebhookTest, hops = 0): Promise<TriggerDetail> {
    const { id, eventKind = WEBHOOK_TEST } = parseBody(testInput, test);
    this.notifications.checkTest(eventKind);
    const webhook = await this.webhooks.find(owner, id);
    if (!webhook) throw notFound('webhook');
    await this.departed.check(webhook.row.userId);
    const notification = this.notifications.makeTest(eventKind, webhook.row.userId, hops);
    const { triggers } = await this.acceptor.accept({ notification, testOf: id });
    return this.triggers.find(owner, triggers[0]?.id ?? '');
  }

  /** The server still answers while deliveries end, and everything it accepts has to be stored. */
  onModuleDestroy(): void {
    this.gate.shutdownBegins();
  }

  /**
   * Runs when the application's server is closed. The data source belongs to a global module, so it closes after this.
   */
  async onApplicationShutdown(): Promise<void> {
    await this.gate.close();
  }
}

const keyBesideManager = () =>
  invalid([
    {
      pointer: 'idempotencyKey',
      message:
        'cannot be given beside manager: your transaction decides what is stored, so let it keep the key, in a table of yours',
    },
  ]);
