import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Intake } from '../engine/accept/intake.js';
import type { NewNotification } from '../engine/accept/intake.repository.js';
import { QueueSignals } from '../engine/ledger/queue-signals.js';
import { NoticeRepository } from '../engine/report/notice.repository.js';
import { BackgroundTask } from '../platform/background-task.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { failpoint } from '../platform/failpoint.js';
import { columnJson, isObject } from '../platform/json/column-json.js';
import { toDateTime } from '../platform/json/json-time.js';
import { Database } from '../store/database.js';
import type { NoticeEntity } from '../store/tables/trigger/notice.entity.js';
import { payloadOf } from './notification.js';

/** How often a process looks for notices that another one left. */
const LOOK_MS = 5000;
/** Notices turned into notifications in one transaction. */
const AT_ONCE = 100;

/**
 * Turns notices into notifications: at once where they were made in this process, and within seconds where the process that
 * made them died. One transaction stores the notifications and deletes the notices, so each is told exactly once.
 */
@Injectable()
export class OperationalNotices implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly task: BackgroundTask;
  private readonly unsubscribe: () => void;
  /** Whether a look is asked for and has not begun: a thousand failures need no thousand looks. */
  private isWoken = false;

  constructor(
    private readonly database: Database,
    private readonly notices: NoticeRepository,
    private readonly intake: Intake,
    @Inject(CLOCK) clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
    signals: QueueSignals,
  ) {
    this.task = new BackgroundTask(clock, () => this.look(), {
      logger: new Logger('Delivery'),
      failure: 'Not all that happened to webhooks is told yet',
      againAfterErrorMs: LOOK_MS,
    });
    this.unsubscribe = signals.subscribe({ noticed: () => this.wake() });
  }

  onApplicationBootstrap(): void {
    if (this.settings.role !== 'api') this.wake();
  }

  beforeApplicationShutdown(): Promise<void> {
    this.unsubscribe();
    return this.task.stop();
  }

  private wake(): void {
    if (this.isWoken) return;
    this.isWoken = true;
    this.task.runNow();
  }

  private async look(): Promise<number> {
    this.isWoken = false;
    while (!this.task.isStopped && (await this.notices.isAny())) {
      // None, although there are some: another process is taking them.
      if ((await this.tellSome()) === 0) break;
    }
    return LOOK_MS;
  }

  /** @returns how many notices it took. */
  private async tellSome(): Promise<number> {
    const taken = await this.database.transaction(async (manager) => {
      const { taken, fresh } = await this.notices.take(manager, AT_ONCE);
      const readable = fresh.filter(isReadable);
      if (readable.length > 0) await this.intake.acceptAllWithin(manager, readable.map(notificationOf));
      failpoint('notice-written');
      return taken;
    });
    failpoint('notice-committed');
    return taken;
  }
}

/** What it tells goes out as it is. One that is no JSON any more is not told. */
const isReadable = ({ id, data }: NoticeEntity) =>
  columnJson(data, { column: 'webhook_notice.data', row: id }, isObject) !== null;

/** It has the notice's id, so a notice that is kept twice is told once. */
function notificationOf(notice: NoticeEntity): NewNotification {
  const { id, userId, eventKind, aboutWebhookId, triggeredAt, hops, data } = notice;
  const input = { eventKind, userId, recordText: data, analysisId: null, traceparent: null, hops };
  return {
    id,
    userId,
    eventKind,
    triggeredAt,
    traceparent: null,
    hops,
    aboutWebhookId,
    isTest: false,
    ...payloadOf(input, true, toDateTime(triggeredAt)),
  };
}
