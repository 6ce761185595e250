import type { LeasedNotification } from './leased-trigger.js';

interface Held {
  notification: LeasedNotification;
  triggers: number;
}

/** The notifications whose triggers are held, each once, however many triggers share it. */
export class HeldBodies {
  private readonly held = new Map<string, Held>();

  /** How many bytes more it would be to hold this one. */
  cost({ id, body }: LeasedNotification): number {
    return this.held.has(id) ? 0 : (body?.length ?? 0);
  }

  /** For one more trigger. @returns the one that is held; another copy of it need not be kept. */
  hold(notification: LeasedNotification): LeasedNotification {
    const held = this.held.get(notification.id);
    if (!held) {
      this.held.set(notification.id, { notification, triggers: 1 });
      return notification;
    }
    held.triggers++;
    return held.notification;
  }

  /** For one trigger less. @returns how many bytes that frees. */
  letGo({ id, body }: LeasedNotification): number {
    const held = this.held.get(id);
    if (!held) throw new Error(`Notification ${id} is not held.`);
    held.triggers--;
    if (held.triggers > 0) return 0;
    this.held.delete(id);
    return body?.length ?? 0;
  }
}
