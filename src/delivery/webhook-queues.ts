import type { LeasedTrigger } from './leased-trigger.js';

interface Queue {
  waiting: LeasedTrigger[];
  /** Being sent or settled. */
  active: number;
  /** Promised, not here yet. */
  reserved: number;
}

/**
 * The triggers that this process holds, a queue for each webhook. Served in turn, each up to a limit of its own, so
 * that no receiver slows another; bounded, each and all together, so that memory does not grow with the backlog.
 */
export class WebhookQueues {
  private readonly queues = new Map<string, Queue>();
  /** Webhooks with something to send and room to send it; the one served last stands last. */
  private readonly ready = new Set<string>();
  private readonly ids = new Set<string>();
  private heldCount = 0;

  constructor(
    private readonly limits: {
      /** Attempts under way to one webhook. */
      activePerWebhook: number;
      /** Triggers held for one webhook. */
      heldPerWebhook: number;
      /** Triggers held. */
      held: number;
    },
  ) {}

  get held(): number {
    return this.heldCount;
  }

  /** Whether this trigger is here, waiting or taken. */
  has(triggerId: string): boolean {
    return this.ids.has(triggerId);
  }

  /** Webhooks that can hold no more. */
  full(): string[] {
    return [...this.queues]
      .filter(([, queue]) => this.sizeOf(queue) >= this.limits.heldPerWebhook)
      .map(([id]) => id);
  }

  /** How many wait for nothing but a free slot. */
  get sendable(): number {
    let count = 0;
    for (const webhookId of this.ready) count += this.queueOf(webhookId).waiting.length;
    return count;
  }

  /** Whether a webhook could hold about as many again. */
  isHalfEmpty(webhookId: string): boolean {
    const queue = this.queues.get(webhookId);
    return !queue || this.sizeOf(queue) <= this.limits.heldPerWebhook / 2;
  }

  /** Takes a place for a trigger to come. @returns false where there is none. */
  reserve(webhookId: string): boolean {
    const queue = this.queueOf(webhookId);
    if (this.heldCount >= this.limits.held || this.sizeOf(queue) >= this.limits.heldPerWebhook) {
      this.forgetIfIdle(webhookId, queue);
      return false;
    }
    queue.reserved++;
    this.heldCount++;
    return true;
  }

  unreserve(webhookId: string): void {
    const queue = this.queueOf(webhookId);
    queue.reserved--;
    this.heldCount--;
    this.forgetIfIdle(webhookId, queue);
  }

  /** Puts a trigger in the place reserved for it. */
  put(trigger: LeasedTrigger): void {
    const queue = this.queueOf(trigger.webhookId);
    queue.reserved--;
    queue.waiting.push(trigger);
    this.ids.add(trigger.id);
    this.refresh(trigger.webhookId, queue);
  }

  /** The next trigger to send; {@link done} must follow. */
  take(): LeasedTrigger | undefined {
    const [webhookId] = this.ready;
    if (webhookId === undefined) return undefined;
    const queue = this.queueOf(webhookId);
    const trigger = queue.waiting.shift();
    queue.active++;
    this.ready.delete(webhookId);
    this.refresh(webhookId, queue);
    return trigger;
  }

  /** Gives back the place of a trigger that was taken. */
  done({ id, webhookId }: LeasedTrigger): void {
    const queue = this.queueOf(webhookId);
    this.ids.delete(id);
    queue.active--;
    this.heldCount--;
    this.refresh(webhookId, queue);
    this.forgetIfIdle(webhookId, queue);
  }

  /** Takes out all that wait, of one webhook or of all. */
  drain(webhookId?: string): LeasedTrigger[] {
    const ids = webhookId === undefined ? [...this.queues.keys()] : [webhookId];
    return ids.flatMap((id) => {
      const queue = this.queues.get(id);
      if (!queue) return [];
      const waiting = queue.waiting.splice(0);
      this.heldCount -= waiting.length;
      for (const trigger of waiting) this.ids.delete(trigger.id);
      this.refresh(id, queue);
      this.forgetIfIdle(id, queue);
      return waiting;
    });
  }

  private queueOf(webhookId: string): Queue {
    let queue = this.queues.get(webhookId);
    if (!queue) {
      queue = { waiting: [], active: 0, reserved: 0 };
      this.queues.set(webhookId, queue);
    }
    return queue;
  }

  private sizeOf({ waiting, active, reserved }: Queue): number {
    return waiting.length + active + reserved;
  }

  private refresh(webhookId: string, queue: Queue): void {
    if (queue.waiting.length > 0 && queue.active < this.limits.activePerWebhook) this.ready.add(webhookId);
    else this.ready.delete(webhookId);
  }

  private forgetIfIdle(webhookId: string, queue: Queue): void {
    if (this.sizeOf(queue) === 0) this.queues.delete(webhookId);
  }
}
