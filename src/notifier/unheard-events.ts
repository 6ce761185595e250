import type { Logger } from '@nestjs/common';
import type { EventEmitter2 } from '@nestjs/event-emitter';

/** Whether it has the form of a lifecycle event. */
function isLifecycleEvent(value: unknown): boolean {
  const { user_id: userId, record } = (value ?? {}) as Record<string, unknown>;
  return typeof userId === 'string' && typeof record === 'object' && record !== null;
}

/**
 * Warns, once for each name, of lifecycle events that nobody hears: their kind is missing in the module's options, or the
 * name is misspelt. `emitAsync` resolves for them as for any other, although nothing is stored.
 */
export function warnOfUnheardEvents(emitter: EventEmitter2, logger: Logger): void {
  const warned = new Set<string>();
  const look = (name: unknown, value: unknown) => {
    if (!isLifecycleEvent(value) || typeof name !== 'string') return;
    if (warned.has(name) || emitter.hasListeners(name)) return;
    warned.add(name);
    logger.warn(
      `"${name}" was emitted with user_id and record, but nobody listens, so nothing was stored. Add its kind to the ` +
        'option eventKinds of WebhookModule, or correct the name.',
    );
  };
  const { emit, emitAsync } = emitter;
  emitter.emit = (name, ...values) => {
    look(name, values[0]);
    return emit.call(emitter, name, ...values);
  };
  emitter.emitAsync = (name, ...values) => {
    look(name, values[0]);
    return emitAsync.call(emitter, name, ...values);
  };
}
