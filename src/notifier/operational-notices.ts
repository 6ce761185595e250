import { Injectable, Logger } from '@nestjs/common';
import type { NewNotification } from '../engine/accept/accept.repository.js';
import { Acceptor } from '../engine/accept/acceptor.js';
import { QueueSignals } from '../engine/ledger/queue-signals.js';
import { NoticeRepository } from '../engine/report/notice.repository.js';
import type { JobHandle } from '../jobs/job.js';
import { Jobs } from '../jobs/jobs.js';
import { failpoint } from '../platform/failpoint.js';
import { columnJson, isObject } from '../platform/json/column-json.js';
import { toDateTime } from '../platform/json/json-time.js';
import { Database } from '../store/database.js';
import type { NoticeEntity } from '../store/tables/trigger/notice.entity.js';
import { payloadOf } from './payload.js';

/** How often a process polls for notices that another one left. */
const POLL_MS = 5000;
/** Notices turned into notifications in one transaction. */
const AT_ONCE = 100;

/**
 * Turns notices into notifications: at once where they were made in this process, and within seconds where the process that
 * made them died. One transaction stores the notifications and deletes the notices, so each is told exactly once.
 */
@Injectable()
export class OperationalNotices {
  private readonly job: JobHandle;

  constructor(
    private readonly database: Database,
    private readonly notices: NoticeRepository,
    private readonly acceptor: Acceptor,
    signals: QueueSignals,
    jobs: Jobs,
  ) {
    this.job = jobs.add({
      logger: new Logger('Delivery'),
      failure: 'Operational events are delayed',
      runs: 'sending',
      firstAfterMs: 0,
      againAfterErrorMs: POLL_MS,
      step: () => this.poll(),
    });
    signals.subscribe({ noticed: () => this.job.wake() });
  }

  private async poll(): Promise<number> {
    while (!this.job.isStopping && (await this.notices.isAny())) {
      // None, although there are some: another process is taking them.
      if ((await this.tellSome()) === 0) break;
    }
    return POLL_MS;
  }

  /** @returns how many notices it took. */
  private async tellSome(): Promise<number> {
    const taken = await this.database.transaction(async (manager) => {
      const { taken, fresh } = await this.notices.take(manager, AT_ONCE);
      const readable = fresh.filter(isReadable);
      if (readable.length > 0) await this.acceptor.acceptAllWithin(manager, readable.map(notificationOf));
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
