import type { CapacityBudget } from './capacity-budget.js';
import { UserShare } from './user-share.js';
import type { WebhookQueue } from './webhook-queue.js';

/** The user to whom triggers of a disabled or deleted webhook are counted. They are cancelled when they are next. */
export const NOBODY = '';

/** Gives the free slots to users one after another, and those of a user to its webhooks one after another. */
export class RoundRobin {
  private readonly users = new Map<string, UserShare>();
  /** Users with a ready webhook and a slot for it, least recently served first. */
  private readonly order = new Set<string>();

  /** @param budget of the process. */
  constructor(private readonly budget: CapacityBudget) {}

  find(userId: string): UserShare | undefined {
    return this.users.get(userId);
  }

  of(userId: string): UserShare {
    const user = this.users.get(userId) ?? new UserShare(userId, this.budget);
    this.users.set(userId, user);
    return user;
  }

  forgetIfIdle(user: UserShare): void {
    if (user.budget.size === 0 && this.users.get(user.userId) === user) this.users.delete(user.userId);
  }

  /** Notes whether a webhook may send. */
  setReady({ webhookId, user }: WebhookQueue, isReady: boolean): void {
    // Asked several times for each delivery, and seldom news.
    if (user.ready.has(webhookId) === isReady) return;
    if (isReady) user.ready.add(webhookId);
    else user.ready.delete(webhookId);
    this.refresh(user);
  }

  /** Notes whether a user is to be served. */
  refresh(user: UserShare): void {
    if (user.isReady) this.order.add(user.userId);
    else this.order.delete(user.userId);
  }

  /** The webhook that gets the next slot; undefined if no slot is free or nobody may send. */
  next(): string | undefined {
    if (this.budget.sending >= this.budget.slots) return undefined;
    const [userId] = this.order;
    if (userId === undefined) return undefined;
    const { ready } = this.users.get(userId) as UserShare;
    const [webhookId] = ready;
    if (webhookId === undefined) throw new Error('A user without a webhook to serve is next.');
    toEnd(ready, webhookId);
    toEnd(this.order, userId);
    return webhookId;
  }
}

/** Each move costs a set an entry until it is rebuilt, so one that is alone stays. */
function toEnd(set: Set<string>, first: string): void {
  if (set.size === 1) return;
  set.delete(first);
  set.add(first);
}
