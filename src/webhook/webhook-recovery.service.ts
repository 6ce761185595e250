import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { invalid, notFound, Problem } from '../common/problem.js';
import { timeOf } from '../rest/input.js';
import type { Owner } from '../rest/principal.js';
import { parseBody } from '../rest/validation.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { QueueTime } from '../trigger/queue-time.js';
import { UndeliveredRepository } from '../trigger/undelivered.repository.js';
import { recoveryInput } from './dto/recovery.dto.js';
import { WebhookRepository } from './webhook.repository.js';

/** Triggers of a webhook made due per second. Few, because its receiver has just come back. */
const PER_SECOND = 10;
const GAP_MS = 1000 / PER_SECOND;
const AT_ONCE = 1000;
/** At 10 a second this takes nearly an hour and a half; larger recoveries should be split by the caller. */
const MAX_TRIGGERS = 50_000;

/** The triggers to recover: those made in a span of time, both ends included. */
export interface RecoveryRequest {
  /** The webhook's id. */
  id: string;
  /** RFC 3339. */
  since: string;
  /** RFC 3339. @default now */
  until?: string | undefined;
  /** If true, only counts and changes nothing. @default false */
  dryRun?: boolean | undefined;
}

/** The result of a recovery. */
export interface Recovered {
  /** How many triggers this call made due again, or, on a dry run, would. */
  triggers: number;
}

/** Sends again what a webhook missed. */
@Injectable()
export class WebhookRecovery {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly undelivered: UndeliveredRepository,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Makes failed and cancelled triggers due, oldest first and {@link PER_SECOND} a second. Leaves out tests, and triggers
   * that would be cancelled again because their event is off or gone.
   *
   * @throws Problem 400, 404, 409 `webhook_disabled`, 422 `too_many_triggers`
   */
  async recover(owner: Owner, request: RecoveryRequest): Promise<Recovered> {
    const { id, dryRun, ...given } = parseBody(recoveryInput, request);
    const since = Date.parse(given.since);
    const span = { since, until: timeOf(given.until) ?? this.clock.now() };
    if (since > span.until) {
      throw invalid([{ pointer: '/since', message: 'must not be after "until", which is now unless given' }]);
    }
    const found = await this.webhooks.find(owner, id);
    if (!found) throw notFound('webhook');
    const eventIds = found.events.filter(({ enabled }) => enabled).map((event) => event.id);
    if (!dryRun && !found.row.enabled) throw disabled();
    const wanted = { ...span, webhookId: id, eventIds };
    if (dryRun) return { triggers: await this.undelivered.count(wanted) };
    const ids = await this.undelivered.ids(wanted, MAX_TRIGGERS + 1);
    if (ids.length > MAX_TRIGGERS) throw tooMany();
    const triggers = await this.makeDue(id, ids);
    this.signals.emit('returned');
    return { triggers };
  }

  /** Works in small transactions. If the process dies in between, the same call recovers the rest. */
  private async makeDue(webhookId: string, ids: string[]): Promise<number> {
    const now = this.time.now();
    // Starts after the last trigger of an earlier recovery, or the two would overlap.
    const last = await this.undelivered.lastDueAt(webhookId, now);
    const begin = last === null ? now : last + GAP_MS;
    const places = ids.map((id, i) => ({ id, dueAt: begin + i * GAP_MS }));
    let count = 0;
    // Another recovery may be running: each trigger is made due and counted by one of the two, at nearly the same time.
    for (let done = 0; done < places.length; done += AT_ONCE) {
      count += await this.undelivered.makeDue(places.slice(done, done + AT_ONCE));
    }
    return count;
  }
}

function disabled(): Problem {
  return new Problem(
    409,
    'webhook_disabled',
    'The webhook is disabled, and what became due would be cancelled again. Enable it first, or count with "dry_run".',
  );
}

function tooMany(): Problem {
  return new Problem(
    422,
    'too_many_triggers',
    `At most ${MAX_TRIGGERS} triggers may be recovered in one call, and there are more; narrow "since" and "until".`,
  );
}
