import { Agent, request } from 'undici';
import { until } from '../../support/until.js';
import { SERVICE_ENV } from './settings.js';

/** Above the longest time the service may take to answer. */
const GIVE_UP_MS = 20_000;
const TRY_AGAIN_MS = 20;

export interface LoadOptions {
  userId: string;
  /** Base URLs of the service, used in turn. */
  urls: string[];
  /** Concurrent requests. @default 20 */
  workers?: number;
  /** Pauses the load while this returns true for the number accepted so far. */
  isEnough?: (accepted: number) => boolean;
}

/** Reports notifications continuously, and records which were accepted. */
export class Load {
  /** The notifications that were answered with 202. */
  readonly accepted = new Set<string>();
  /** Number of answers 503. */
  refused = 0;
  /** Number of answers that were neither 202 nor 503. */
  otherAnswers = 0;
  /** Requests without an answer, so it is unknown whether they were accepted. */
  ambiguous = 0;
  /** The longest time until an answer, or until giving up on one. */
  slowestMs = 0;
  /** Ignores `isEnough`, for outages: refused notifications add nothing to the backlog. */
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

  /** Waits until so many more have been accepted. */
  async acceptedMore(count: number, withinMs = 30_000): Promise<void> {
    const goal = this.accepted.size + count;
    await until(() => this.accepted.size >= goal, { withinMs, what: `${count} more accepted` });
  }

  /** Waits until so many more have been refused. */
  async refusedMore(count: number, withinMs = 30_000): Promise<void> {
    const goal = this.refused + count;
    await until(() => this.refused >= goal, { withinMs, what: `${count} more answered 503` });
  }

  /** Resolves when every request has been answered or lost. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  async close(): Promise<void> {
    this.isStopped = true;
    await this.agent.destroy();
    await this.running;
  }

  private async work(): Promise<void> {
    while (!this.isStopped) {
      const isEnough = !this.unbounded && this.options.isEnough?.(this.accepted.size);
      const goesOn = !isEnough && (await this.report());
      if (!goesOn) await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }

  /** @returns whether the notification was accepted. */
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
      if (statusCode === 202) this.accepted.add(id);
      else if (statusCode === 503) this.refused++;
      else this.otherAnswers++;
      return statusCode === 202;
    } catch {
      this.ambiguous++;
      return false;
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
    }
  }
}
