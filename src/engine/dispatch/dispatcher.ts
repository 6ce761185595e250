import { Inject, Injectable } from '@nestjs/common';
import { Alarm } from '../../platform/alarm.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import type { Capacity } from '../accept/capacity.js';
import { Instance } from '../instance/instance.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { RateSlots } from '../queue/rate-slots.repository.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import { isWanted, Receivers } from '../send/receivers.js';
import { Sender } from '../send/sender.js';
import { FinishedAttempts } from '../settle/finished-attempts.js';
import { ReceiverPauses } from '../settle/health/receiver-pauses.js';
import { Requeue } from '../settle/requeue.js';
import { pauseAskedMs, type SendResult, verdictOf } from '../settle/send-result.js';
import { DueScan } from './due-scan.js';
import { StartThrottle } from './start-throttle.js';

/** Leaves 9 s of the 30 s budget of a shutdown: while the database is silent, calls take up to 4.5 s more. */
const SHUTDOWN_MS = 21_000;

/** Takes the triggers that are leased to this process, and sends them, within the limits of {@link WebhookQueues}. */
@Injectable()
export class Dispatcher implements Capacity {
  private readonly throttle: StartThrottle;
  private readonly unsubscribe: () => void;
  /** Rings when the pause of a webhook is over. */
  private readonly alarm: Alarm;
  private running = false;
  /** Attempts whose results are not stored yet, and batches being given back. A shutdown waits for them. */
  private busy = 0;
  private onIdle = () => {};

  constructor(
    private readonly queues: WebhookQueues,
    private readonly scan: DueScan,
    private readonly receivers: Receivers,
    private readonly sender: Sender,
    private readonly finished: FinishedAttempts,
    private readonly requeues: Requeue,
    private readonly signals: QueueSignals,
    rateSlots: RateSlots,
    private readonly pauses: ReceiverPauses,
    private readonly instance: Instance,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.throttle = new StartThrottle(settings.delivery.gentle, () => this.pump());
    queues.limits.attach({
      limitsOf: (webhookId) => receivers.get(webhookId),
      reserveStarts: (webhookId, intervalMs, count) => rateSlots.reserve(webhookId, intervalMs, count),
      ready: () => this.pump(),
    });
    this.unsubscribe = signals.subscribe({
      webhookChanged: (webhookId) => {
        this.queues.relearn(webhookId);
        void this.reconsiderWaiting(webhookId);
      },
    });
    this.alarm = new Alarm(clock, () => this.probe());
  }

  get isRunning(): boolean {
    return this.running;
  }

  start(): void {
    this.running = true;
  }

  /** Takes nothing more, gives waiting triggers back, and lets attempts under way finish for at most {@link SHUTDOWN_MS}. */
  async stop(): Promise<void> {
    this.running = false;
    this.unsubscribe();
    this.alarm.cancel();
    void this.requeue(this.queues.drain());
    const idle = new Promise<void>((resolve) => {
      this.onIdle = resolve;
      if (this.busy === 0) resolve();
    });
    const timeIsUp = new Promise<void>((resolve) => this.clock.after(SHUTDOWN_MS, resolve));
    await Promise.race([idle, timeIsUp]);
    this.requeues.stop();
  }

  /** Drops the triggers that wait: another instance has taken the leases over. */
  abandonWaiting(): void {
    this.queues.drain();
  }

  /** The leases are known to be valid again. */
  resume(): void {
    this.pump();
  }

  reserve(webhookId: string, userId: string, isTest = false): boolean {
    if (!this.running) return false;
    // Half of the capacity is kept for older triggers: otherwise new ones would take all that is freed.
    const hasOtherHalf = isTest || (this.queues.isFree() && this.queues.isPartEmpty(webhookId));
    if (!hasOtherHalf && this.scan.isBehind(webhookId)) return false;
    return this.queues.reserve(webhookId, userId, isTest);
  }

  cancel(webhookIds: string[]): void {
    for (const webhookId of webhookIds) this.queues.cancel(webhookId);
  }

  offer(triggers: LeasedTrigger[]): void {
    const refused = triggers.filter((trigger) => !this.put(trigger));
    if (refused.length > 0) void this.requeue(refused);
    if (this.running) this.pump();
    else void this.requeue(this.queues.drain());
  }

  /** Gives back the triggers that wait and will not start soon: other processes may have slots for them. */
  async giveBackLate(): Promise<void> {
    this.queues.relearn();
    const late = this.queues.takeOutLate();
    if (late.length === 0) return;
    this.busy++;
    await this.requeues.inPlace(late.flatMap(({ triggers }) => triggers));
    for (const { webhookId, userId, triggers } of late) {
      for (const { dueAt } of triggers) this.scan.putBack(webhookId, userId, dueAt);
    }
    this.ended();
  }

  /** Refuses triggers that were leased under a former instance id, and those whose bodies were not read. */
  private put(trigger: LeasedTrigger): boolean {
    const isOwn = trigger.leasedBy === this.instance.id;
    if (isOwn && !trigger.notification.isUnread) return this.queues.put(trigger);
    this.queues.cancel(trigger.webhookId);
    return false;
  }

  private pump(): void {
    if (!this.running || !this.throttle.allowsOne || !this.instance.mayStart()) return;
    while (this.running && this.throttle.allowsOne) {
      const trigger = this.queues.take();
      if (!trigger) return;
      this.busy++;
      void this.run(trigger);
      this.throttle.started();
    }
  }

  private async run(trigger: LeasedTrigger): Promise<void> {
    let result: SendResult;
    try {
      result = await this.sender.send(trigger);
    } catch (error) {
      result = { error };
    }
    // The slot is free as soon as the receiver has answered, even if storing the result takes long.
    this.freeSlot(trigger, result);
    this.pump();
    await this.finished.finish(trigger, result, () => this.setApart(trigger));
    this.queues.done(trigger);
    this.signals.emit('room', trigger.webhookId);
    this.ended();
  }

  /** Lets others have the capacity of a trigger whose result is stored late. Its body is not needed any more. */
  private setApart(trigger: LeasedTrigger): void {
    if (!this.queues.setApart(trigger)) return;
    trigger.notification = { ...trigger.notification, body: null };
    this.signals.emit('room', trigger.webhookId);
  }

  /** If the receiver is down, pauses it and gives back its waiting triggers to free their capacity. */
  private freeSlot(trigger: LeasedTrigger, result: SendResult): void {
    const verdict = verdictOf(result);
    const pauseMs = verdict === 'busy' ? pauseAskedMs(result, this.clock.now()) : 0;
    const rest = this.queues.sent(trigger, verdict, pauseMs);
    if (rest.length > 0) void this.requeue(rest);
    const hasFailed = verdict === 'down' || verdict === 'busy';
    const probeAt = hasFailed ? this.queues.probes.at(trigger.webhookId) : null;
    if (probeAt === null) return;
    if (this.running) this.alarm.ringBy(probeAt);
    this.pauses.began(result, probeAt - this.clock.monotonic());
  }

  /** Called when pauses are over: each of these webhooks has capacity for one trigger, its probe. */
  private probe(): void {
    for (const webhookId of this.queues.probes.wanted()) this.signals.emit('room', webhookId);
    const next = this.queues.probes.nextAt();
    if (next !== null && this.running) this.alarm.ringBy(next);
  }

  /**
   * Cancels waiting triggers that are no longer wanted, and gives back the rest to be claimed with the current webhook.
   */
  private async reconsiderWaiting(webhookId: string): Promise<void> {
    const waiting = this.queues.drain(webhookId);
    if (waiting.length === 0) return;
    // While the database is unavailable this is unknown, and is decided when the trigger is claimed again. A probe's webhook
    // is disabled; whether it is still wanted is decided when it is sent.
    const receiver = await Promise.resolve(this.receivers.get(webhookId)).catch(() => undefined);
    const { wanted = [], unwanted = [] } = Object.groupBy(waiting, (trigger) =>
      receiver === undefined || trigger.isProbe || isWanted(trigger, receiver) ? 'wanted' : 'unwanted',
    );
    const [dueAt] = await Promise.all([this.requeues.unwanted(unwanted), this.requeue(wanted)]);
    if (dueAt !== null) this.signals.emit('due', dueAt);
  }

  /** Gives the triggers back for any process to claim. */
  private async requeue(triggers: LeasedTrigger[]): Promise<void> {
    if (triggers.length === 0) return;
    this.busy++;
    const dueAt = await this.requeues.pending(triggers);
    this.signals.emit('due', dueAt);
    this.ended();
  }

  private ended(): void {
    this.busy--;
    if (!this.running && this.busy === 0) this.onIdle();
  }
}
