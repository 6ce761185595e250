import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { Problem } from '../common/problem.js';
import { EventKinds } from '../event/event-kinds.js';
import type { LifecycleEvents } from '../lifecycle/lifecycle-events.js';
import { NotifierService } from './notifier.service.js';

/**
 * Hears the application's lifecycle events.
 *
 * Not by `@OnEvent`: it either swallows a listener's error, so that `emitAsync` cannot tell the emitter that nothing
 * was stored, or lets it end the process when the event was sent by a plain `emit`. And it does not tell the name.
 */
@Injectable()
export class LifecycleListener implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Notifier');
  private stopListening: (() => void)[] = [];

  constructor(
    private readonly emitter: EventEmitter2,
    private readonly notifier: NotifierService,
    private readonly kinds: EventKinds,
  ) {}

  onModuleInit(): void {
    this.stopListening = (this.kinds.events() as (keyof LifecycleEvents)[]).map((name) => {
      const listener = (event: LifecycleEvents[typeof name]) => this.hear(name, event);
      this.emitter.on(name, listener);
      return () => this.emitter.off(name, listener);
    });
  }

  onModuleDestroy(): void {
    for (const stop of this.stopListening) stop();
  }

  /** The promise goes to `emitAsync`; `emit` drops it, and then the log is all there is. */
  private hear(name: keyof LifecycleEvents, event: LifecycleEvents[typeof name]): Promise<unknown> {
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
