import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { Problem } from '../common/problem.js';
import { EventKinds } from '../event/event-kinds.js';
import type { LifecycleEvents } from '../lifecycle/lifecycle-events.js';
import { NotifierService } from './notifier.service.js';

type AnyEvent = LifecycleEvents[keyof LifecycleEvents];

/**
 * Hears the application's lifecycle events.
 *
 * Not by `@OnEvent`: it either swallows a listener's error, so that `emitAsync` cannot tell the emitter that nothing
 * was stored, or lets it end the process when the event was sent by a plain `emit`. And it does not tell the name.
 */
@Injectable()
export class LifecycleListener implements OnApplicationShutdown {
  private readonly logger = new Logger('Notifier');
  private readonly listeners: [keyof LifecycleEvents, (event: AnyEvent) => Promise<unknown>][];

  /** Listens from here on: other modules may emit as soon as they are initialised. */
  constructor(
    private readonly emitter: EventEmitter2,
    private readonly notifier: NotifierService,
    kinds: EventKinds,
  ) {
    this.listeners = (kinds.events() as (keyof LifecycleEvents)[]).map((name) => [
      name,
      (event) => this.hear(name, event),
    ]);
    this.listen();
  }

  /**
   * `EventEmitterModule` ends by taking all listeners away, and `emitAsync` resolves where nobody listens. So that an event
   * that comes too late is refused, and not lost without a word, these listeners stay.
   */
  onApplicationShutdown(): void {
    const { emitter } = this;
    const remove = emitter.removeAllListeners;
    emitter.removeAllListeners = (name) => {
      remove.call(emitter, name);
      this.listen();
      return emitter;
    };
  }

  private listen(): void {
    for (const [name, listener] of this.listeners) this.emitter.off(name, listener).on(name, listener);
  }

  /** The promise goes to `emitAsync`; `emit` drops it, and then the log is all there is. */
  private hear(name: keyof LifecycleEvents, event: AnyEvent): Promise<unknown> {
    const stored = this.notifier.notify(name, event);
    stored.catch((error: Error) => this.logger.error(`${name} was not stored: ${reasonOf(error)}`));
    return stored;
  }
}

/** With all that is wrong with the record, where that is why. */
function reasonOf(error: Error): string {
  const fields = error instanceof Problem ? (error.errors ?? []) : [];
  const wrong = fields.map(({ pointer, message }) => `${pointer} ${message}`).join(', ');
  return wrong ? `${error.message} (${wrong})` : error.message;
}
