import { Inject, Injectable } from '@nestjs/common';
import type { EventEmitter2 } from '@nestjs/event-emitter';
import { EMITTER } from '../common/emitter.js';
import type { LifecycleEvents } from './lifecycle-events.js';

/** Emits type-checked lifecycle events. `EventEmitter2.emitAsync` with the same names works as well. */
@Injectable()
export class LifecyclePublisher {
  constructor(@Inject(EMITTER) private readonly emitter: EventEmitter2) {}

  /** Resolves once the notification is stored, and rejects if it is not. */
  async publish<Name extends keyof LifecycleEvents>(name: Name, event: LifecycleEvents[Name]): Promise<void> {
    if (this.emitter.listenerCount(name) === 0) {
      throw new Error(
        `No kind has the event "${name}", so nothing was stored: add its kind to the option eventKinds of WebhookModule.`,
      );
    }
    await this.emitter.emitAsync(name, event);
  }
}
