import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { QueueSignals } from '../ledger/queue-signals.js';

/** More than can wait in this process at once. */
const MAX_REMEMBERED = 20_000;

/**
 * Notifications that this process has erased while triggers of them may have been waiting in it, leased and with their
 * bodies. These triggers are left out when they would be sent. They are cancelled already, so there is nothing to store.
 */
@Injectable()
export class ErasedNotifications {
  private readonly ids = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  constructor(signals: QueueSignals) {
    signals.subscribe({
      erased: (ids) => {
        for (const id of ids) this.ids.set(id, true);
      },
    });
  }

  has(notificationId: string): boolean {
    return this.ids.has(notificationId);
  }
}
