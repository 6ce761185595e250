import { Counter, Gauge, type Registry } from 'prom-client';

/** Why a message was not stored when it came. */
type RetryReason = 'database' | 'in_use' | 'error';

/** The metrics of the intake. Only a process that consumes has them. */
export class IntakeMetrics {
  private readonly messages: Counter;
  private readonly retries: Counter;

  constructor(registry: Registry, isConsuming: () => boolean) {
    const registers = [registry];
    this.messages = new Counter({
      name: 'webhook_intake_messages_total',
      help: 'Messages taken from the queue, by what became of them',
      labelNames: ['outcome'],
      registers,
    });
    this.retries = new Counter({
      name: 'webhook_intake_retries_total',
      help: 'Times that a message could not be stored yet, by the reason',
      labelNames: ['reason'],
      registers,
    });
    new Gauge({
      name: 'webhook_intake_connected',
      help: 'Whether this process takes messages from the queue: 1 or 0',
      registers,
      collect() {
        this.set(isConsuming() ? 1 : 0);
      },
    });
    for (const outcome of ['stored', 'duplicate', 'refused']) this.messages.inc({ outcome }, 0);
    for (const reason of ['database', 'in_use', 'error']) this.retries.inc({ reason }, 0);
  }

  taken(outcome: 'stored' | 'duplicate' | 'refused'): void {
    this.messages.inc({ outcome });
  }

  retried(reason: RetryReason): void {
    this.retries.inc({ reason });
  }
}
