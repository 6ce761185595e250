import { Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import type { LifecycleEvents } from './lifecycle-events.js';

/** Emits lifecycle events with the compiler's help; `EventEmitter2.emitAsync` with the same names does as well. */
@Injectable()
export class LifecyclePublisher {
  constructor(private readonly emitter: EventEmitter2) {}

  /** Resolves when the notification is stored; rejects where it is not. */
  async publish<Name extends keyof LifecycleEvents>(name: Name, event: LifecycleEvents[Name]): Promise<void> {
    if (this.emitter.listenerCount(name) === 0) {
      throw new Error(
        `Nobody hears of "${name}": register its kind as an option of WebhookModule (eventKinds).`,
      );
    }
    await this.emitter.emitAsync(name, event);
  }
}
