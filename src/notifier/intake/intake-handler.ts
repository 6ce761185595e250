import { Inject, Injectable } from '@nestjs/common';
import { EventKinds } from '../../event/event-kinds.js';
import { checkKey, IdempotencyKeys, type IdempotentCall } from '../../idempotency/idempotency-keys.js';
import { Call, callDeadline, withinCall } from '../../platform/call.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { isAboutData } from '../../platform/database-error.js';
import { type FieldError, Problem } from '../../platform/problem.js';
import { Slices } from '../../platform/slices.js';
import type { AcceptedNotification } from '../accepted-notification.js';
import { NotifierService } from '../notifier.service.js';
import { type IntakeMessage, inputOf, reportOf } from './message.js';

/** The first message with this id is still on its way to the database. */
const IN_USE = 'idempotency_key_in_use';

/** Why a message is refused, as in the problem details of the REST API. */
export interface IntakeRefusal {
  /** Stable, such as `validation_failed`. */
  code: string;
  /** For people. */
  detail: string;
  /** The fields that are wrong; pointers go into the body. Empty if it is none of them. */
  errors: FieldError[];
}

/** What became of a message. */
export type IntakeOutcome =
  /** It is stored, now or by an earlier message with the same id: acknowledge it. */
  | { outcome: 'stored' | 'duplicate'; notification: AcceptedNotification }
  /** It will never be stored as it is: put it aside together with the reason, then acknowledge it. */
  | { outcome: 'refused'; refusal: IntakeRefusal }
  /** Keep it, and hand it over again later. It may have been stored; then it will be a duplicate. */
  | { outcome: 'not_now'; code: string; detail: string };

/**
 * Takes one event that came through a queue. This is what the consumer of RabbitMQ calls, and what an application can call
 * that has a consumer of its own, for whatever broker.
 */
@Injectable()
export class IntakeHandler {
  private readonly slices = new Slices();
  private readonly onlyUser: string | null;

  constructor(
    private readonly notifier: NotifierService,
    private readonly keys: IdempotencyKeys,
    private readonly kinds: EventKinds,
    @Inject(SETTINGS) { intake }: Settings,
  ) {
    this.onlyUser = intake.userId;
  }

  /**
   * Stores the event of a message. A message with an id that was stored within the last 24 hours, for the same user, is not
   * stored again. Answers within five seconds.
   *
   * @throws Error for what nobody expected, or before the application has started: keep the message and try again later.
   */
  async handle(message: IntakeMessage): Promise<IntakeOutcome> {
    const { messageId: key, body } = message;
    let parent = '';
    try {
      checkId(key);
      const input = await this.slices.run(() => {
        const report = reportOf(message, this.kinds);
        parent = report.parent;
        return inputOf(report, message, this.onlyUser);
      });
      const request = { key, userId: input.userId, operation: 'intake', body };
      const store = (call: IdempotentCall | null) => this.notifier.accept(input, { call });
      const notification = await inTime(() => this.keys.run(request, store));
      return { outcome: notification.replayed ? 'duplicate' : 'stored', notification };
    } catch (error) {
      return outcomeOf(error, parent);
    }
  }
}

/** @param id is of any type in an application without types, such as null where a broker has none. */
function checkId(id: unknown): void {
  if (id === undefined || id === null || id === '')
    throw new Problem(
      400,
      'message_id_required',
      'The message has no message id (the property message_id), so nobody could tell whether it is stored already when the ' +
        'broker delivers it again. Give each event an id of its own.',
    );
  checkKey(id, 'message_id');
}

/** @throws Problem 503 if the database does not answer in time */
function inTime<T>(work: () => Promise<T>): Promise<T> {
  const call = new Call();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(call.refuse()), callDeadline.ms);
    withinCall(call, work)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

function outcomeOf(error: unknown, parent: string): IntakeOutcome {
  if (error instanceof Problem) {
    const { status, code, detail } = error;
    if (status >= 500 || code === IN_USE) return { outcome: 'not_now', code, detail };
    return {
      outcome: 'refused',
      refusal: { code, detail: detailOf(error), errors: errorsIn(error, parent) },
    };
  }
  if (!isAboutData(error)) throw error;
  const detail = `The database does not take these values, whenever it is asked: ${(error as Error).message}`;
  return { outcome: 'refused', refusal: { code: 'not_storable', detail, errors: [] } };
}

const detailOf = ({ code, detail }: Problem) =>
  code === 'idempotency_key_reused'
    ? 'A message with this id and another body is stored already. An event that happened later needs an id of its own.'
    : detail;

const errorsIn = ({ errors = [] }: Problem, parent: string): FieldError[] =>
  errors.map(({ pointer, message }) => ({
    pointer: pointer.startsWith('/') ? parent + pointer : pointer,
    message,
  }));
