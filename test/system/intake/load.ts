import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Receiver } from '../../support/receiver.js';
import { until } from '../../support/until.js';
import { succeeds } from '../support/own-server.js';
import { reportOf } from './scene.js';

const WORKERS = 40;
/** How many more are confirmed than have arrived, at most. */
const AHEAD = 3000;

/** Resolves when the broker has confirmed it. */
type Publish = (report: object, messageId: string, worker: number) => Promise<unknown>;

/** Events under load, published as publishers are told to: again under the same id until the broker confirms it. */
export class Load {
  readonly confirmed = new Set<string>();
  /** The webhook-ids under which each event has come. */
  readonly received = new Map<string, Set<unknown>>();
  private isOver = false;
  private readonly running: Promise<unknown>;

  constructor(
    receiver: Receiver,
    private readonly userId: string,
    private readonly publish: Publish,
  ) {
    receiver.respondWith(({ headers, body }) => {
      const { id } = JSON.parse(String(body)).data;
      this.received.set(id, (this.received.get(id) ?? new Set()).add(headers['webhook-id']));
      return { status: 200 };
    });
    this.running = Promise.all(Array.from({ length: WORKERS }, (_, worker) => this.work(worker)));
  }

  /** Waits until this many more have arrived. */
  async flows(more: number, bound = {}): Promise<void> {
    const goal = this.received.size + more;
    await until(() => this.received.size > goal, { ...bound, what: `${more} more deliveries` });
  }

  /** Stops, and waits until all that was confirmed has arrived, each as one event. */
  async expectEachOnce(): Promise<void> {
    const { confirmed, received } = this;
    await this.stop();
    const lost = () => [...confirmed].filter((id) => !received.has(id));
    await until(() => lost().length === 0, { what: 'that nothing is lost' });
    expect([...received].filter(([, ids]) => ids.size !== 1)).toEqual([]);
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  private async work(worker: number): Promise<void> {
    for (let n = 0; !this.isOver; n++) {
      const id = `${worker}-${n}`;
      while (!(await succeeds(this.publish(reportOf(this.userId, id), id, worker)))) {
        if (this.isOver) return;
        await sleep(50);
      }
      this.confirmed.add(id);
      await until(() => this.isOver || this.confirmed.size - this.received.size < AHEAD);
    }
  }
}
