import { Inject, Injectable } from '@nestjs/common';
import { addCounts, noCounts } from '../engine/counts/counts.js';
import { DAY_MS, firstKept, KEPT_DAYS, type Span, STEP_MS, spanOf, stepsIn } from '../engine/counts/span.js';
import { ALL } from '../engine/counts/sums.js';
import { checkedOwner, type Owner } from '../platform/access/owner.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { type FieldError, invalid, notFound, Problem } from '../platform/problem.js';
import { Slices } from '../platform/slices.js';
import { timeOf } from '../rest/input.js';
import { parseBody } from '../rest/validation.js';
import { ComputingShare } from './computing-share.js';
import { type StatisticsQuery, statisticsInput } from './dto/statistics-query.js';
import { StatisticReading } from './reading.js';
import { StatisticRepository } from './statistic.repository.js';
import { attemptCountsOf, type Statistics, type StatisticsStep } from './statistics.js';

const MAX_STEPS = 1500;

/** How many attempts were made, how they ended, and how long they took. */
@Injectable()
export class StatisticsService {
  private readonly slices = new Slices();

  constructor(
    private readonly repository: StatisticRepository,
    private readonly reading: StatisticReading,
    private readonly share: ComputingShare,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Counts attempts by the time of their end. The sums are exact: an attempt is counted in the transaction that stores it.
   *
   * @throws Problem 400, 404, 503 `statistics_behind`
   */
  async find(owner: Owner, query: StatisticsQuery = {}): Promise<Statistics> {
    const { id, userId, eventKind = ALL, step, ...given } = parseBody(statisticsInput, query);
    const now = this.clock.now();
    const until = timeOf(given.until) ?? now;
    const since = timeOf(given.since) ?? until - DAY_MS;
    const span = spanOf(step, since, until);
    const error = since > until ? REVERSED : errorOf(span, now);
    if (error) throw invalid([error]);
    const user = await this.userOf(checkedOwner(owner), id, userId);
    const found =
      user === null
        ? { steps: new Map<number, never>(), computedMs: 0 }
        : await this.reading.read({ userId: user, webhookId: id ?? ALL, eventKind, ...span });
    if (found === null) throw behind();
    const total = noCounts();
    const data: StatisticsStep[] = [];
    let { computedMs } = found;
    for (let beginAt = span.begin; beginAt < span.end; beginAt += STEP_MS[step]) {
      await this.slices.run(() => {
        const began = performance.now();
        const counts = found.steps.get(beginAt) ?? noCounts();
        addCounts(total, counts);
        data.push({ begin: new Date(beginAt).toISOString(), ...attemptCountsOf(counts) });
        computedMs += performance.now() - began;
      });
    }
    if (owner !== null) this.share.charge(owner, computedMs);
    return { data, total: attemptCountsOf(total) };
  }

  /** Whose attempts to count; null if nobody's: like a list, a filter by another user finds nothing. */
  private async userOf(owner: Owner, webhookId?: string, filter?: string): Promise<string | null> {
    const mayBe = (user: string) => (owner ?? user) === user && (filter ?? user) === user;
    if (webhookId !== undefined) {
      const user = await this.repository.userOf(webhookId);
      if (user === null || !mayBe(user)) throw notFound('webhook');
      return user;
    }
    if (owner === null) return filter ?? ALL;
    // An empty owner is nobody, and not everybody.
    return owner !== ALL && mayBe(owner) ? owner : null;
  }
}

const REVERSED: FieldError = {
  pointer: '?since',
  message: 'must not be after "until", which is now unless given',
};

function errorOf(span: Span, now: number): FieldError | null {
  const { step, begin } = span;
  if (begin < firstKept(step, now)) {
    const coarser = step === 'minute' ? 'hour' : 'day';
    const wayOut =
      step === 'day' ? 'give a later "since"' : `ask for "step=${coarser}", or give a later "since"`;
    return {
      pointer: '?since',
      message: `is too early for this step: counts of each ${step} are kept for ${KEPT_DAYS[step]} days; ${wayOut}`,
    };
  }
  if (stepsIn(span) > MAX_STEPS) {
    const steps = `makes ${stepsIn(span)} steps from "since" to "until", and at most ${MAX_STEPS} are answered`;
    return { pointer: '?step', message: `${steps}; ask for a longer step or a shorter span` };
  }
  return null;
}

const behind = () =>
  new Problem(
    503,
    'statistics_behind',
    'Too many attempts are not added up yet, so that the sums could not be answered in time. Try again in a minute.',
    { headers: { 'Retry-After': '60' } },
  );
