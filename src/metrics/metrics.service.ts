import { Inject, Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { CLOCK, type Clock } from '../common/clock.js';
import { type Backlog, BacklogRepository } from '../delivery/queue/backlog.repository.js';
import { WebhookQueues } from '../delivery/queue/webhook-queues.js';
import { DeliveryMetrics } from '../delivery/report/delivery-metrics.js';

/** Scrapes within this time of each other share one read of the database. */
const BACKLOG_FRESH_MS = 5000;

/** The engine's counters, and gauges that are read at each scrape. */
@Injectable()
export class MetricsService {
  private backlog: { read: Promise<Backlog | null>; at: number } | null = null;

  constructor(
    private readonly metrics: DeliveryMetrics,
    private readonly repository: BacklogRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    queues: WebhookQueues,
  ) {
    collectDefaultMetrics({ register: metrics.registry });
    this.gauge('webhook_attempts_in_flight', 'Attempts in flight in this process', () => queues.sending);
    this.gauge('webhook_triggers_held', 'Triggers leased to this process', () => queues.held);
    this.gauge('webhook_triggers_due', 'Triggers due and not leased; counted up to 100000', async () => {
      return (await this.readBacklog())?.due ?? Number.NaN;
    });
    this.gauge('webhook_oldest_due_seconds', 'Seconds since the oldest due trigger became due', async () => {
      const backlog = await this.readBacklog();
      if (!backlog) return Number.NaN;
      return backlog.oldestDueAt === null ? 0 : (this.clock.now() - backlog.oldestDueAt) / 1000;
    });
  }

  /** Prometheus text format 0.0.4. */
  scrape(): Promise<string> {
    return this.metrics.registry.metrics();
  }

  private gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.metrics.registry],
      async collect() {
        this.set(await read());
      },
    });
  }

  /** Null if the database does not answer, as the other metrics matter most then. */
  private readBacklog(): Promise<Backlog | null> {
    const at = this.clock.monotonic();
    if (!this.backlog || at - this.backlog.at >= BACKLOG_FRESH_MS) {
      this.backlog = { read: this.repository.read(this.clock.now()).catch(() => null), at };
    }
    return this.backlog.read;
  }
}
