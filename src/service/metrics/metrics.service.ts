import { Inject, Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { DeliveryMetrics } from '../../engine/metrics/delivery-metrics.js';
import { WebhookQueues } from '../../engine/queue/webhook-queues.js';
import { BacklogRepository } from '../../engine/report/backlog.repository.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { RetentionLag } from '../../retention/retention-lag.js';
import { SharedRead } from './shared-read.js';
import { TroubleRepository } from './trouble.repository.js';

/** The engine's counters, and gauges that are read at each scrape. */
@Injectable()
export class MetricsService {
  constructor(
    private readonly metrics: DeliveryMetrics,
    backlogs: BacklogRepository,
    troubles: TroubleRepository,
    @Inject(CLOCK) clock: Clock,
    queues: WebhookQueues,
    lag: RetentionLag,
  ) {
    collectDefaultMetrics({ register: metrics.registry });
    const backlog = new SharedRead(clock, () => backlogs.read(clock.now()));
    const trouble = new SharedRead(clock, () => troubles.read());
    this.gauge(
      'webhook_attempts_in_flight',
      'Attempts in flight in this process',
      () => queues.budget.sending,
    );
    this.gauge('webhook_triggers_held', 'Triggers leased to this process', () => queues.budget.size);
    this.gauge('webhook_triggers_due', 'Triggers due and not leased; counted up to 100000', () =>
      backlog.figure(({ due }) => due),
    );
    this.gauge('webhook_oldest_due_seconds', 'Seconds since the oldest due trigger became due', () =>
      backlog.figure(({ oldestDueAt }) => (oldestDueAt === null ? 0 : (clock.now() - oldestDueAt) / 1000)),
    );
    this.gauge('webhook_webhooks_failing', 'Enabled webhooks whose last attempts have all failed', () =>
      trouble.figure(({ failing }) => failing),
    );
    this.gauge('webhook_statistics_pending', 'Settled batches that are not in the statistics yet', () =>
      trouble.figure(({ deltas }) => deltas),
    );
    this.gauge('webhook_instances', 'Processes that deliver from this database', () =>
      trouble.figure(({ instances }) => instances),
    );
    new Gauge({
      name: 'webhook_webhooks_disabled',
      help: 'Webhooks that the service has disabled and nobody has enabled since, by its reason',
      labelNames: ['reason'],
      registers: [metrics.registry],
      async collect() {
        for (const reason of ['gone', 'failing'] as const) {
          this.set({ reason }, await trouble.figure(({ disabled }) => disabled[reason]));
        }
      },
    });
    this.gauge(
      'webhook_retention_lag_seconds',
      'Seconds by which the oldest notification that should have been removed is overdue',
      () => lag.seconds().catch(() => Number.NaN),
    );
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
}
