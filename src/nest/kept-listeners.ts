import type { EventEmitter2 } from '@nestjs/event-emitter';

/**
 * Calls `listen` again whenever somebody removes all listeners of this emitter, as `EventEmitterModule` does when the application
 * shuts down.
 */
export function listenAgain(emitter: EventEmitter2, listen: () => void): void {
  const remove = emitter.removeAllListeners;
  emitter.removeAllListeners = (name) => {
    remove.call(emitter, name);
    listen();
    return emitter;
  };
}
