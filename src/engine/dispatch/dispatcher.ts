import { Inject, Injectable } from '@nestjs/common';
import { Alarm } from '../../platform/alarm.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { Instance } from '../instance/instance.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import type { AttemptEnd } from '../settle/attempt-end.js';
import { Attempts } from '../settle/attempts.js';
import { StartThrottle } from './start-throttle.js';
import { WaitingTriggers } from './waiting-triggers.js';

/** Leaves 9 s of the 30 s budget of a shutdown: while the database is silent, calls take up to 4.5 s more. */
const SHUTDOWN_MS = 21_000;

/** Takes the triggers that are leased to this process, and sends them, within the limits of {@link WebhookQueues}. */
@Injectable()
export class Dispatcher {
  private readonly throttle: StartThrottle;
  /** Rings when the pause of a webhook is over. */
  private readonly alarm: Alarm;
  private running = false;
  /** Attempts whose results are not stored yet. A shutdown waits for them. */
  private underWay = 0;
  private onIdle = () => {};

  constructor(
    private readonly queues: WebhookQueues,
    private readonly waiting: WaitingTriggers,
    private readonly attempts: Attempts,
    private readonly signals: QueueSignals,
    private readonly instance: Instance,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.throttle = new StartThrottle(settings.delivery.gentle, () => this.pump());
    this.alarm = new Alarm(clock, () => this.probe());
    queues.limits.onReady = () => this.pump();
  }

  get isRunning(): boolean {
    return this.running;
  }

  start(): void {
    this.running = true;
  }

  /** Takes nothing more, requeues what waits, and lets attempts under way finish for at most {@link SHUTDOWN_MS}. */
  async stop(): Promise<void> {
    this.running = false;
    this.alarm.cancel();
    this.waiting.stop();
    const idle = new Promise<void>((resolve) => {
      this.onIdle = resolve;
      if (this.underWay === 0) resolve();
    }).then(() => this.waiting.settled());
    const timeIsUp = new Promise<void>((resolve) => this.clock.after(SHUTDOWN_MS, resolve));
    await Promise.race([idle, timeIsUp]);
    this.attempts.stop();
  }

  /** The leases are known to be valid again. */
  resume(): void {
    this.pump();
  }

  /** Takes triggers that have reservations. */
  offer(triggers: LeasedTrigger[]): void {
    this.waiting.requeue(triggers.filter((trigger) => !this.put(trigger)));
    if (this.running) this.pump();
    else this.waiting.requeueAll();
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
      this.underWay++;
      void this.run(trigger);
      this.throttle.started();
    }
  }

  private async run(trigger: LeasedTrigger): Promise<void> {
    const end = await this.attempts.send(trigger);
    // The slot is free as soon as the receiver has answered, even if storing the result takes long.
    const pausedMs = this.freeSlot(trigger, end);
    this.pump();
    await this.attempts.finish(trigger, end, pausedMs, () => this.setApart(trigger));
    this.queues.done(trigger);
    this.signals.emit('capacity', trigger.webhookId);
    this.underWay--;
    if (!this.running && this.underWay === 0) this.onIdle();
  }

  /** Lets others have the capacity of a trigger whose result is stored late. Its body is not needed any more. */
  private setApart(trigger: LeasedTrigger): void {
    if (!this.queues.setApart(trigger)) return;
    trigger.notification = { ...trigger.notification, body: null };
    this.signals.emit('capacity', trigger.webhookId);
  }

  /** If the receiver is down, pauses it and requeues what waits for it. @returns for how long it is paused, in milliseconds. */
  private freeSlot(trigger: LeasedTrigger, { verdict, pauseMs }: AttemptEnd): number {
    this.waiting.requeue(this.queues.sent(trigger, verdict, pauseMs));
    const probeAt = this.queues.probes.at(trigger.webhookId);
    if (probeAt === null) return 0;
    if (this.running) this.alarm.ringBy(probeAt);
    return Math.max(0, probeAt - this.clock.monotonic());
  }

  /** Called when pauses are over: each of these webhooks has capacity for one trigger, its probe. */
  private probe(): void {
    for (const webhookId of this.queues.probes.wanted()) this.signals.emit('capacity', webhookId);
    const next = this.queues.probes.nextAt();
    if (next !== null && this.running) this.alarm.ringBy(next);
  }
}
