import { CancellationRepository } from '../../../src/engine/ledger/cancel/cancellation.repository.js';
import { QueueSignals } from '../../../src/engine/ledger/queue-signals.js';
import type { LeasedTrigger } from '../../../src/engine/queue/leased-trigger.js';
import type { DeliveryEvents } from '../../../src/engine/report/delivery-events.js';
import { NoticeRepository } from '../../../src/engine/report/notice.repository.js';
import type { Receiver } from '../../../src/engine/send/receivers.js';
import type { Attempt } from '../../../src/engine/send/sender.js';
import type { DisabledEvents } from '../../../src/engine/settle/health/disabled-events.js';
import { HealthNotes } from '../../../src/engine/settle/health/health-notes.js';
import type { ReceiverPauses } from '../../../src/engine/settle/health/receiver-pauses.js';
import { WebhookHealth } from '../../../src/engine/settle/health/webhook-health.js';
import { WebhookHealthRepository } from '../../../src/engine/settle/health/webhook-health.repository.js';
import { judge } from '../../../src/engine/settle/judgement.js';
import { Settlement } from '../../../src/engine/settle/settlement.js';
import { failingSpanOf } from '../../../src/engine/webhook/failing-span.js';
import type { Clock } from '../../../src/platform/clock.js';
import { SETTINGS, type Settings } from '../../../src/platform/config/settings.js';
import { newId } from '../../../src/platform/ids/ids.js';
import { Database } from '../../../src/store/database.js';
import type { WebhookEntity } from '../../../src/store/tables/webhook/webhook.entity.js';
import { ledgerOf } from '../../support/change-log.js';
import type { TestService } from '../../support/service.js';

/** Hours: the span after which a webhook is disabled. */
const SPAN = 2 / 3600;

interface UnderWay {
  trigger: LeasedTrigger;
  receiver: Receiver;
  beginAt: number;
}

/** Cancels two triggers in a transaction. */
export class FewAtOnce extends CancellationRepository {
  protected override readonly atOnce = 2;
}

/** The cancelling of a process that is put together by hand. */
export function cancellationsOf({ get }: TestService): FewAtOnce {
  const database = get(Database);
  const signals = new QueueSignals();
  return new FewAtOnce(database, ledgerOf(database, signals), signals);
}

export const receiverOf = (row: WebhookEntity): Receiver =>
  ({
    ...{ webhookId: row.id, userId: row.userId, name: 'w', storedUrl: 'https://example.com' },
    ...{ generation: row.generation, failing: failingSpanOf(row), fault: null },
    settings: { retryScheduleSeconds: [0.5, 0.5] },
  }) as unknown as Receiver;

/** One process: everything it knows is lost when it dies. */
export class Process {
  readonly instanceId = newId();
  waiting: LeasedTrigger[] = [];
  underWay: UnderWay[] = [];
  /** What nobody seemed to want when its turn came. */
  unwanted: LeasedTrigger[] = [];
  /** The webhook as it was read last, and when. */
  known: { receiver: Receiver | null; at: number } | null = null;
  readonly health: WebhookHealth;
  readonly repository: WebhookHealthRepository;
  private readonly settlement: Settlement;

  constructor(service: TestService, clock: Clock) {
    const { app, get } = service;
    const signals = new QueueSignals();
    signals.subscribe({
      webhookChanged: () => {
        this.known = null;
      },
    });
    this.settlement = get(Settlement);
    this.repository = new WebhookHealthRepository(
      get(Database),
      cancellationsOf(service),
      get(NoticeRepository),
      app.get(SETTINGS, { strict: false }),
    );
    this.health = new WebhookHealth(
      this.repository,
      new HealthNotes(clock),
      signals,
      { tell: async () => {} } as unknown as DisabledEvents,
      { emit: () => {} } as unknown as DeliveryEvents,
      { ended: () => {} } as unknown as ReceiverPauses,
      clock,
      { delivery: { failingDisableHours: SPAN } } as Settings,
    );
  }

  /** Ends an attempt like `FinishedAttempts` does. @param dies before the webhook's health is noted. */
  async end(
    { trigger, receiver, beginAt }: UnderWay,
    status: number,
    endAt: number,
    dies: boolean,
  ): Promise<void> {
    const attempt = {
      number: trigger.attemptCount + 1,
      beginAt,
      endAt,
      exchange: { response: { status, headers: {}, body: '', truncated: false }, error: null, phases: {} },
    } as Attempt;
    await this.health.heard(receiver, attempt);
    await this.settlement.settle(trigger, attempt, receiver);
    if (!dies) await this.health.note(receiver, attempt, judge(attempt.exchange), trigger);
  }
}
