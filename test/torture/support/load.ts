import { Agent, request } from 'undici';
import { SERVICE_ENV } from './settings.js';

/** Longer than the service may take for any answer. */
const GIVE_UP_MS = 20_000;
const TRY_AGAIN_MS = 20;

export interface LoadOptions {
  userId: string;
  /** Base addresses of the service, taken in turn. */
  urls: string[];
  /** Requests at once. @default 20 */
  workers?: number;
  /** Waits while this is true of how many were accepted so far. */
  isEnough?: (accepted: number) => boolean;
}

/** Reports notifications without a pause, and remembers what was accepted. */
export class Load {
  /** Ids of the notifications that were answered with 202, and when. */
  readonly accepted = new Map<string, number>();
  /** How often each status was answered. */
  readonly statuses = new Map<number, number>();
  /** Requests whose answer never came: nothing is known of them. */
  ambiguous = 0;
  /** The longest that an answer, or giving up on it, took. */
  slowestMs = 0;
  /** Nothing is enough: what is refused adds to no backlog. */
  unbounded = false;
  private readonly agent = new Agent({ headersTimeout: GIVE_UP_MS, connections: 64 });
  private readonly body: string;
  private running: Promise<unknown> = Promise.resolve();
  private isStopped = false;
  private turn = 0;

  constructor(readonly options: LoadOptions) {
    this.body = JSON.stringify({
      event_kind: 'RECORD_FINISHED',
      user_id: options.userId,
      record: { id: 'rec_1', name: 'x'.repeat(300), analysis: [{ id: 'ana_1' }, { id: 'ana_2' }] },
    });
  }

  start(): this {
    const { workers = 20 } = this.options;
    this.isStopped = false;
    this.running = Promise.all(Array.from({ length: workers }, () => this.work()));
    return this;
  }

  /** Resolves when every request has been answered, or lost. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  async close(): Promise<void> {
    this.isStopped = true;
    await this.agent.destroy();
    await this.running;
  }

  /** Answers that were neither 202 nor 503. */
  get otherAnswers(): number {
    return [...this.statuses]
      .filter(([status]) => status !== 202 && status !== 503)
      .reduce((sum, [, count]) => sum + count, 0);
  }

  get refused(): number {
    return this.statuses.get(503) ?? 0;
  }

  private async work(): Promise<void> {
    while (!this.isStopped) {
      const isEnough = !this.unbounded && this.options.isEnough?.(this.accepted.size);
      const goesOn = !isEnough && (await this.report());
      if (!goesOn) await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }

  /** @returns whether it was accepted. */
  private async report(): Promise<boolean> {
    const { urls } = this.options;
    const startedAt = performance.now();
    try {
      const { statusCode, body } = await request(`${urls[this.turn++ % urls.length]}/v1/notification`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${SERVICE_ENV.BOOTSTRAP_API_KEY}`,
          'content-type': 'application/json',
        },
        body: this.body,
        dispatcher: this.agent,
      });
      const { id } = (await body.json()) as { id: string };
      this.statuses.set(statusCode, (this.statuses.get(statusCode) ?? 0) + 1);
      if (statusCode === 202) this.accepted.set(id, Date.now());
      return statusCode === 202;
    } catch {
      this.ambiguous++;
      return false;
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
    }
  }
}
