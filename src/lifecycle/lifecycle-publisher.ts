import { Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import type { LifecycleEvents } from './lifecycle-events.js';

/** Emits type-checked lifecycle events. `EventEmitter2.emitAsync` with the same names works as well. */
@Injectable()
export class LifecyclePublisher {
  constructor(private readonly emitter: EventEmitter2) {}

  /** Resolves once the notification is stored, and rejects if it is not. */
  async publish<Name extends keyof LifecycleEvents>(name: Name, event: LifecycleEvents[Name]): Promise<void> {
    if (this.emitter.listenerCount(name) === 0) {
      throw new Error(
        `Nobody hears of "${name}": register its kind as an option of WebhookModule (eventKinds).`,
      );
    }
    await this.emitter.emitAsync(name, event);
  }
}
