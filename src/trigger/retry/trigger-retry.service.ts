import { Injectable } from '@nestjs/common';
import { QueueSignals } from '../../engine/ledger/queue-signals.js';
import { QueueTime } from '../../engine/ledger/queue-time.js';
import { type RetryRefusal, RetryRepository } from '../../engine/replay/retry.repository.js';
import { resendRefused } from '../../move/user-moved.js';
import type { Owner } from '../../platform/access/owner.js';
import { notFound, Problem } from '../../platform/problem.js';

/** A trigger that was not retried. */
export interface SkippedTrigger {
  /** UUIDv7. */
  id: string;
  /** For programs: `not_found`, `trigger_delivering`, `payload_gone` or `user_moved`. Codes may be added. */
  code: RetryRefusal;
}

/** What became of a request to retry many triggers. */
export interface RetriedTriggers {
  /** How many are due now. */
  triggers: number;
  /** The others, in the order in which they were named. */
  skipped: SkippedTrigger[];
}

const PROBLEMS: Record<RetryRefusal, () => Problem> = {
  not_found: () => notFound('trigger'),
  trigger_delivering: () =>
    new Problem(409, 'trigger_delivering', 'An attempt of this trigger is under way; wait for its end.'),
  payload_gone: () =>
    new Problem(
      409,
      'payload_gone',
      'There is nothing left to send: the data was erased, or is past its retention. Report the event again instead.',
    ),
  user_moved: resendRefused,
};

/** Makes triggers due because somebody asked for it. */
@Injectable()
export class TriggerRetry {
  constructor(
    private readonly repository: RetryRepository,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
  ) {}

  /** @throws Problem 404, 409 `trigger_delivering`, `payload_gone` or `user_moved` */
  async one(owner: Owner, id: string): Promise<void> {
    const { skipped } = await this.many(owner, [id]);
    for (const { code } of skipped) throw PROBLEMS[code]();
  }

  /** An id given twice counts once. */
  async many(owner: Owner, ids: string[]): Promise<RetriedTriggers> {
    const distinct = [...new Set(ids)];
    const refused = await this.repository.makeDue(owner, distinct, this.time.now());
    const triggers = distinct.length - refused.size;
    if (triggers > 0) this.signals.emit('urgent');
    return { triggers, skipped: [...refused].map(([id, code]) => ({ id, code })) };
  }
}
