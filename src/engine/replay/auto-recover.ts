import { Inject, Injectable, Logger } from '@nestjs/common';
import type { JobHandle } from '../../jobs/job.js';
import { Jobs } from '../../jobs/jobs.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import { probePauseMs } from '../health/probing.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { QueueTime } from '../ledger/queue-time.js';
import { type EffectiveSettings, settingsPair } from '../webhook/webhook-settings.js';
import { AT_ONCE, AutoRecoverRepository } from './auto-recover.repository.js';
import { ProbeSearch } from './probe-search.js';

/** The longest time between two scans: other processes disable webhooks, too. */
const POLL_MS = 1000;
/** When to look what became of a probe of which nothing was heard: its process may have died. */
const CHECK_MS = 10_000;
/** The pause after a fault of ours, so that one webhook cannot hold up the others. */
const AFTER_FAULT_MS = 60_000;

/**
 * Probes webhooks that were disabled as `failing` and want it, and brings back those whose receiver is well again. All of it
 * follows from their rows, so any process goes on where another one died.
 */
@Injectable()
export class AutoRecover {
  private readonly logger = new Logger('Delivery');
  private readonly job: JobHandle;
  /** Webhooks whose probe has ended here, each with the pause that its receiver asked for. */
  private readonly probed = new Map<string, number>();
  /** Webhooks that are left alone after a fault, and until when, on the monotonic clock. */
  private readonly leftAlone = new Map<string, number>();

  constructor(
    private readonly repository: AutoRecoverRepository,
    private readonly search: ProbeSearch,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
    jobs: Jobs,
  ) {
    this.job = jobs.add({
      logger: this.logger,
      failure: 'Could not probe webhooks',
      runs: 'sending',
      firstAfterMs: 0,
      againAfterErrorMs: POLL_MS,
      step: () => this.run(),
    });
    signals.subscribe({
      probed: (webhookId, pauseMs) => {
        this.probed.set(webhookId, pauseMs);
        this.job.wake();
      },
    });
  }

  private async run(): Promise<number> {
    const probed = [...this.probed].slice(0, AT_ONCE);
    for (const [id] of probed) this.probed.delete(id);
    const pauses = new Map(probed);
    for (const webhook of await this.repository.probed([...pauses.keys()]))
      await this.goOn(webhook, pauses.get(webhook.id));
    for (const [id, until] of this.leftAlone) if (until <= this.clock.monotonic()) this.leftAlone.delete(id);
    const due = await this.repository.due(this.time.now(), [...this.leftAlone.keys()]);
    for (const webhook of due) await this.goOn(webhook);
    if (due.length === AT_ONCE || this.probed.size > 0) return 1;
    const now = this.time.now();
    const next = await this.repository.nextAfter(now);
    return next === null ? POLL_MS : Math.max(1, Math.min(POLL_MS, next - now));
  }

  private async goOn(webhook: WebhookEntity, pauseMs = 0): Promise<void> {
    if (this.job.isStopping) return;
    try {
      if (webhook.probeId === null) await this.probe(webhook);
      else await this.judge(webhook, webhook.probeId, pauseMs);
    } catch (error) {
      this.logger.error(`Could not probe webhook ${webhook.id}: ${(error as Error).message}`);
      // Not noted in its row, which somebody may have locked.
      this.leftAlone.set(webhook.id, this.clock.monotonic() + AFTER_FAULT_MS);
    }
  }

  private async probe(webhook: WebhookEntity): Promise<void> {
    const found = await this.search.first(webhook, () => this.job.isStopping);
    const now = this.time.now();
    if (found === null) {
      // A notification may come that it misses.
      const pause = probePauseMs(webhook.probes + 1, this.settingsOf(webhook));
      await this.repository.wait(webhook, now + pause, { probes: webhook.probes + 1 });
    } else if (await this.repository.probe(webhook, found, { now, probeAt: now + CHECK_MS })) {
      this.signals.emit('urgent');
      this.signals.emit('ordered');
    } else await this.repository.wait(webhook, now + POLL_MS);
  }

  /** Goes by what is stored of the trigger: whoever sent it may be dead. */
  private async judge(webhook: WebhookEntity, probeId: string, pauseMs: number): Promise<void> {
    const now = this.time.now();
    const trigger = await this.repository.trigger(probeId);
    if (trigger?.status === 'PENDING' || trigger?.status === 'DELIVERING')
      return this.repository.wait(webhook, now + CHECK_MS);
    if (trigger?.status === 'SUCCEEDED') return this.enable(webhook);
    const pause = Math.max(pauseMs, probePauseMs(webhook.probes, this.settingsOf(webhook)));
    // It ended just now, unless the process that sent it has died.
    const endedAt = Math.min(now, trigger?.endAt ?? now);
    await this.repository.wait(webhook, Math.max(now, endedAt + pause), { probeId: null });
  }

  private async enable(webhook: WebhookEntity): Promise<void> {
    const now = this.clock.now();
    if (!(await this.repository.enable(webhook, now))) return;
    this.logger.log({ msg: 'webhook enabled again', webhook_id: webhook.id, user_id: webhook.userId });
    this.signals.emit('recovering');
  }

  private settingsOf(webhook: WebhookEntity): EffectiveSettings {
    return settingsPair(webhook, this.settings.delivery).effectiveSettings;
  }
}
