import { Inject, Injectable } from '@nestjs/common';
import { QueueSignals } from '../engine/ledger/queue-signals.js';
import { callDeadline, currentCall } from '../platform/call.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { Problem } from '../platform/problem.js';
import { parseBody } from '../rest/validation.js';
import { type Erased, erasureInput } from './dto/erasure.dto.js';
import { type ErasedBatch, ErasureRepository, type OfRecord } from './erasure.repository.js';
import { batchesOf, costOf, type Erasable, MAX_COST } from './erasure-batches.js';

/** The part of a call's time after which it says itself that there is more to erase. */
const ERASING = 2 / 3;
/** The part of it for which reads may still need an earlier state of the database, and how often to look, in milliseconds. */
const READS = 1 / 4;
const POLL_MS = 50;

/** Whose data to erase. */
export interface ErasureRequest {
  /** The `id` of the record, compared exactly: case and blanks count. */
  recordId: string;
}

/** Erases what is stored of a person or company. */
@Injectable()
export class NotificationErasure {
  constructor(
    private readonly repository: ErasureRepository,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Erases the data of all notifications of a record that are stored when it begins: their bodies, and what was sent and
   * answered. Their rows stay, without the data.
   *
   * @param userId the user that the notifications were reported for.
   * @throws Problem 400, 503 `erasure_unfinished`: call it again
   */
  async erase(userId: string, request: ErasureRequest): Promise<Erased> {
    const of = parseBody(erasureInput, { ...request, userId });
    const isOver = this.partOfCall(ERASING);
    const erased: Erased = { notifications: 0, triggers: 0, cancelled: 0 };
    for await (const batches of this.batches(of)) {
      for (const one of await Promise.all(batches.map((batch) => this.eraseBatch(batch)))) {
        erased.notifications += one.notifications;
        erased.triggers += one.triggers;
        erased.cancelled += one.cancelled;
      }
      if (currentCall() !== null && isOver())
        throw unfinished('There is more than can be erased in one call.');
    }
    await this.removeFromFiles();
    return erased;
  }

  /** Batches of what is not erased yet, as many at a time as may run in parallel. */
  private async *batches(of: OfRecord): AsyncGenerator<Erasable[][]> {
    // What is accepted meanwhile is not erased; otherwise a busy record would keep this going.
    const last = await this.repository.last(of);
    if (last === null) return;
    for (let behind: string | undefined = ''; behind !== undefined; ) {
      const page: Erasable[] = await this.repository.next(of, behind, last);
      const batches = batchesOf(page);
      while (batches.length > 0) yield batches.splice(0, this.repository.parallel);
      behind = page.at(-1)?.id;
    }
  }

  private async eraseBatch(batch: Erasable[]): Promise<ErasedBatch> {
    const [first] = batch;
    if (first && costOf(first) > MAX_COST) await this.repository.eraseAttempts(first.id);
    const ids = batch.map(({ id }) => id);
    const erased = await this.repository.erase(ids, this.clock.now());
    if (erased.cancelledOf.length > 0) this.signals.emit('erased', erased.cancelledOf);
    return erased;
  }

  /** Also if nothing was found: an earlier call may have ended before this. */
  private async removeFromFiles(): Promise<void> {
    const isOver = this.partOfCall(READS);
    while (!(await this.repository.finish())) {
      if (isOver()) throw unfinished("A long read keeps earlier versions in the database's journal.");
      await new Promise<void>((resolve) => this.clock.after(POLL_MS, resolve));
    }
  }

  /** @returns whether this part of a call's time has passed since now. */
  private partOfCall(part: number): () => boolean {
    const end = this.clock.monotonic() + part * callDeadline.ms;
    return () => this.clock.monotonic() > end;
  }
}

const unfinished = (why: string) =>
  new Problem(
    503,
    'erasure_unfinished',
    `${why} What was erased stays erased; repeat the call until it succeeds.`,
    { headers: { 'Retry-After': '1' } },
  );
