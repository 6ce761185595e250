import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../../platform/clock.js';
import { isAboutData, isDatabaseUnavailable } from '../../../platform/database-error.js';

/** The first and the longest pause before a note is written again. */
const AGAIN_MS = 500;
const AGAIN_MAX_MS = 30_000;
/** How often a note is written that fails for an unknown reason. */
const MAX_TRIES = 7;
/** The most notes that wait for one webhook. */
const MAX_WAITING = 20;

/** What an attempt tells of a webhook. */
interface Note {
  write(): Promise<void>;
  /** Called if it is given up. */
  lost?(): void;
  /** A success: if too much waits, it replaces what waits before it. */
  isSuccess?: boolean;
}

interface Waiting extends Note {
  resolve(): void;
}

interface Queue {
  /** The first one is being written. */
  notes: Waiting[];
  /** Resolves when a note has failed and is written again. */
  delayed: PromiseWithResolvers<void>;
}

/**
 * Writes notes to a webhook's row, one after another, each until it is stored: what comes next would otherwise be judged by a row
 * that lacks it, such as a failure after a success that could not be noted.
 */
@Injectable()
export class HealthNotes implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Delivery');
  /** By webhook. */
  private readonly queues = new Map<string, Queue>();
  private stopped = false;

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  beforeApplicationShutdown(): void {
    this.stopped = true;
  }

  /**
   * Resolves when the note is written, or when that has failed and goes on in the background: a result does not wait for as long
   * as somebody has locked the webhook.
   */
  add(webhookId: string, note: Note): Promise<void> {
    const queue = this.queues.get(webhookId) ?? { notes: [], delayed: Promise.withResolvers<void>() };
    this.queues.set(webhookId, queue);
    const isFull = queue.notes.length >= MAX_WAITING;
    if (isFull && note.isSuccess) for (const { resolve } of queue.notes.splice(1)) resolve();
    else if (isFull) {
      this.logger.error(
        `Could not record the health of webhook ${webhookId}: too many changes wait already.`,
      );
      note.lost?.();
      return Promise.resolve();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    queue.notes.push({ ...note, resolve });
    if (queue.notes.length === 1) void this.writeAll(webhookId, queue);
    return Promise.race([promise, queue.delayed.promise]);
  }

  private async writeAll(webhookId: string, { notes, delayed }: Queue): Promise<void> {
    let tries = 0;
    for (let [note] = notes; note; [note] = notes) {
      try {
        await note.write();
      } catch (error) {
        this.logger.error(`Could not record the health of webhook ${webhookId}: ${(error as Error).message}`);
        delayed.resolve();
        tries++;
        const mayPass = isDatabaseUnavailable(error) || (!isAboutData(error) && tries < MAX_TRIES);
        if (this.stopped) break;
        if (mayPass) {
          await this.pause(tries);
          // The connections are closed by then.
          if (this.stopped) break;
          continue;
        }
        note.lost?.();
      }
      note.resolve();
      notes.shift();
      tries = 0;
    }
    this.queues.delete(webhookId);
  }

  private pause(tries: number): Promise<void> {
    const ms = Math.min(AGAIN_MS * 2 ** (tries - 1), AGAIN_MAX_MS);
    return new Promise((resolve) => this.clock.after(ms, resolve));
  }
}
