import { Logger } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';

/** Whether it has the form of a lifecycle event. */
function isLifecycleEvent(value: unknown): boolean {
  const { user_id: userId, record } = (value ?? {}) as Record<string, unknown>;
  return typeof userId === 'string' && typeof record === 'object' && record !== null;
}

let isWatching = false;

/**
 * Warns, once for each emitter and name, of lifecycle events that nobody hears: their kind is missing in the module's options,
 * the name is misspelt, or it is too early. `emitAsync` resolves for them as for any other, although nothing is stored.
 *
 * For all emitters, before any of them is used: a constructor of the application may emit before anything of ours is made.
 */
export function warnOfUnheardEvents(): void {
  if (isWatching) return;
  isWatching = true;
  const logger = new Logger('Notifier');
  const warned = new WeakMap<EventEmitter2, Set<string>>();
  const warnIfUnheard = (emitter: EventEmitter2, name: unknown, value: unknown) => {
    if (!isLifecycleEvent(value) || typeof name !== 'string' || emitter.hasListeners(name)) return;
    const names = warned.get(emitter) ?? new Set();
    warned.set(emitter, names);
    if (names.has(name)) return;
    names.add(name);
    logger.warn(
      `"${name}" was emitted with user_id and record, but nobody listens, so nothing was stored. Add its kind to the ` +
        'option eventKinds of WebhookModule, or correct the name; a constructor emits too early, so emit from onModuleInit on.',
    );
  };
  const { prototype } = EventEmitter2;
  const { emit, emitAsync } = prototype;
  prototype.emit = function (this: EventEmitter2, name, ...values) {
    warnIfUnheard(this, name, values[0]);
    return emit.call(this, name, ...values);
  };
  prototype.emitAsync = function (this: EventEmitter2, name, ...values) {
    warnIfUnheard(this, name, values[0]);
    return emitAsync.call(this, name, ...values);
  };
}
