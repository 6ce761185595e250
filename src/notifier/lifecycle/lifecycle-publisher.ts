import { Inject, Injectable } from '@nestjs/common';
import type { EventEmitter2 } from '@nestjs/event-emitter';
import { EMITTER } from '../../platform/emitter.js';
import { Start } from '../../platform/start.js';
import type { LifecycleEvents } from './lifecycle-events.js';

/** Emits type-checked lifecycle events. `EventEmitter2.emitAsync` with the same names works as well. */
@Injectable()
export class LifecyclePublisher {
  constructor(
    @Inject(EMITTER) private readonly emitter: EventEmitter2,
    private readonly start: Start,
  ) {}

  /** Resolves once the notification is stored, and rejects if it is not. */
  publish<Name extends keyof LifecycleEvents>(name: Name, event: LifecycleEvents[Name]): Promise<void>;
  /** @param beside what the compiler would refuse, and the listener may as well. */
  async publish(name: string, event: unknown, ...beside: unknown[]): Promise<void> {
    if (this.emitter.listenerCount(name) === 0) {
      // In a constructor, before ours that listens.
      this.start.check();
      throw new Error(
        `No kind has the event "${name}", so nothing was stored: add its kind to the option eventKinds of WebhookModule.`,
      );
    }
    await this.emitter.emitAsync(name, event, ...beside);
  }
}
