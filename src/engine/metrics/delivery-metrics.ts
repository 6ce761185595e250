import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';
import type { AttemptErrorCode } from '../../network/attempt-error.js';
import type { TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';

/** Seconds: receivers answer in milliseconds, or at the deadline. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/** The engine's metrics. Labels come from fixed sets and never hold a webhook, user or URL. */
@Injectable()
export class DeliveryMetrics {
  readonly registry = new Registry();
  private readonly notifications = this.counter(
    'webhook_notifications_accepted_total',
    'Notifications stored, by this process',
  );
  private readonly triggers = this.counter(
    'webhook_triggers_accepted_total',
    'Triggers stored, by this process',
  );
  private readonly attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Attempts made, by what became of the trigger and why the attempt failed',
    labelNames: ['trigger_status', 'error'],
    registers: [this.registry],
  });
  private readonly attemptSeconds = this.histogram(
    'webhook_attempt_duration_seconds',
    'From the start of an attempt to its end',
  );
  private readonly unsent = new Counter({
    name: 'webhook_triggers_unsendable_total',
    help: 'Attempts that failed before a request was made, for a fault of what is stored here, by that fault',
    labelNames: ['reason'],
    registers: [this.registry],
  });
  private readonly acceptSeconds = this.histogram(
    'webhook_accept_duration_seconds',
    'From the arrival of a notification to its commit',
  );

  accepted(triggers: number, seconds: number): void {
    this.notifications.inc();
    this.triggers.inc(triggers);
    this.acceptSeconds.observe(seconds);
  }

  attempted(status: TriggerStatus, error: AttemptErrorCode | null, seconds: number): void {
    this.attempts.inc({ trigger_status: status, error: error ?? 'none' });
    this.attemptSeconds.observe(seconds);
  }

  /** @param reason from a fixed set. */
  unsendable(reason: string): void {
    this.unsent.inc({ reason });
  }

  private counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }

  private histogram(name: string, help: string): Histogram {
    return new Histogram({ name, help, buckets: BUCKETS, registers: [this.registry] });
  }
}
