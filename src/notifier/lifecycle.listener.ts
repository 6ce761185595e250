import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { EventEmitter2 } from '@nestjs/event-emitter';
import { EventKinds } from '../event/event-kinds.js';
import { listenAgain } from '../nest/kept-listeners.js';
import { EMITTER } from '../platform/emitter.js';
import type { LifecycleEvents } from './lifecycle/lifecycle-events.js';
import { NotifierService } from './notifier.service.js';
import { refuseManager } from './notify-options.js';

type AnyEvent = LifecycleEvents[keyof LifecycleEvents];
type Listener = (event: AnyEvent, ...beside: unknown[]) => Promise<unknown>;

/**
 * Listens to the application's lifecycle events.
 *
 * `@OnEvent` will not do. It either swallows a listener's error, so that `emitAsync` cannot report that nothing was
 * stored, or lets the error of a plain `emit` end the process. It does not pass the event's name either.
 */
@Injectable()
export class LifecycleListener implements OnApplicationShutdown {
  private readonly logger = new Logger('Notifier');
  private readonly listeners: [keyof LifecycleEvents, Listener][];

  /** Listens from construction on, so that an event that comes too early is refused rather than not heard. */
  constructor(
    @Inject(EMITTER) private readonly emitter: EventEmitter2,
    private readonly notifier: NotifierService,
    kinds: EventKinds,
  ) {
    this.listeners = (kinds.events() as (keyof LifecycleEvents)[]).map((name) => [
      name,
      (...given) => this.hear(name, ...given),
    ]);
    this.listen();
  }

  /**
   * Keeps these listeners to the very end. `emitAsync` resolves where nobody listens, so a late event would be lost without an
   * error instead of being refused.
   */
  onApplicationShutdown(): void {
    listenAgain(this.emitter, () => this.listen());
  }

  private listen(): void {
    for (const [name, listener] of this.listeners) this.emitter.off(name, listener).on(name, listener);
  }

  /** Returns the promise for `emitAsync`. `emit` drops it, so the log is the only trace of a failure. */
  private hear(name: keyof LifecycleEvents, ...given: Parameters<Listener>): Promise<unknown> {
    const stored = this.store(name, ...given);
    stored.catch((error: Error) => this.logger.error(`${name} was not stored: ${error.message}`));
    return stored;
  }

  private async store(name: keyof LifecycleEvents, ...[event, ...beside]: Parameters<Listener>) {
    refuseManager(beside);
    return this.notifier.notify(name, event);
  }
}
