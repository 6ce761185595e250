import type { LeasedNotification } from './leased-trigger.js';

interface Held {
  notification: LeasedNotification;
  triggers: number;
}

/** The notifications of the triggers held. Each is kept once, however many triggers share it. */
export class HeldBodies {
  private readonly held = new Map<string, Held>();

  /** How many more bytes holding this one would take. */
  cost({ id, body }: LeasedNotification): number {
    return this.held.has(id) ? 0 : (body?.length ?? 0);
  }

  /** Holds it for one more trigger. @returns the copy that is held; the caller's need not be kept. */
  hold(notification: LeasedNotification): LeasedNotification {
    const held = this.held.get(notification.id);
    if (!held) {
      this.held.set(notification.id, { notification, triggers: 1 });
      return notification;
    }
    held.triggers++;
    return held.notification;
  }

  /** Drops it for one trigger. @returns how many bytes that frees. */
  letGo({ id, body }: LeasedNotification): number {
    const held = this.held.get(id);
    if (!held) throw new Error(`Notification ${id} is not held.`);
    held.triggers--;
    if (held.triggers > 0) return 0;
    this.held.delete(id);
    return body?.length ?? 0;
  }
}
