import { EventEmitter2 } from '@nestjs/event-emitter';
import { WebhookRecovery } from '../../src/index.js';
import { loadConfig } from '../../src/platform/config/load-config.js';
import { createApp } from '../../src/service/create-app.js';
import { serveCommands } from '../support/commands.js';
import { recordOf } from '../support/record.js';
import { now } from '../support/stats.js';
import type { Loaded } from './load.js';

const app = await createApp(loadConfig(process.env));
const emitter = app.get(EventEmitter2, { strict: false });

const recovery = app.get(WebhookRecovery, { strict: false });

const emit = (number: number, userId: string) =>
  emitter.emitAsync('analysis.finished', {
    user_id: userId,
    record: recordOf(number, now()),
    analysis_id: 'ana_1',
  });

interface Pauses {
  perSecond: number;
  seconds: number;
  users: string[];
  /** How many records the events are of, in turn. @default each is of another one */
  records?: number;
}

serveCommands({
  /** Begins to recover all that a webhook has. */
  recover: ({ id, perSecond }: { id: string; perSecond: number }) =>
    recovery.recover(null, { id, since: '2000-01-01T00:00:00Z', perSecond }),

  recovery: ({ id }: { id: string }) => recovery.find(null, id),

  stopRecovery: ({ id }: { id: string }) => recovery.stop(null, id),

  /** Resident megabytes of this process. */
  resident: () => process.memoryUsage().rss / 2 ** 20,

  /** Megabytes that this thread still holds after a garbage collection. Needs `--expose-gc`. */
  live() {
    if (!globalThis.gc) throw new Error('It was started without --expose-gc');
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 2 ** 20;
  },

  /** Emits a number of events, some at a time. */
  async run({ count, concurrency, userId }: { count: number; concurrency: number; userId: string }) {
    let next = 0;
    const first = now();
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (next < count) await emit(next++, userId);
      }),
    );
    return { first, last: now() } satisfies Loaded;
  },

  /** Emits at an even pace, for `users` in turn, without waiting for results. Resolves when all events are stored. */
  async pace({ perSecond, seconds, users, records = Number.POSITIVE_INFINITY }: Pauses) {
    const count = Math.round(perSecond * seconds);
    const stored: Promise<unknown>[] = [];
    const start = now();
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const due = Math.min(count, ((now() - start) / 1000) * perSecond);
        while (stored.length < due) {
          stored.push(emit(stored.length % records, users[stored.length % users.length] as string));
        }
        if (stored.length < count) return;
        clearInterval(timer);
        resolve();
      }, 1);
    });
    await Promise.all(stored);
    return count;
  },
});
