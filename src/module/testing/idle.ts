import type { INestApplicationContext } from '@nestjs/common';
import { Dispatcher } from '../../engine/dispatch/dispatcher.js';
import { WebhookQueues } from '../../engine/queue/webhook-queues.js';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../store/database.js';

/** The part of an application, and of its `ModuleRef`, that is needed here. */
type Context = Pick<INestApplicationContext, 'get'>;

const POLL_AGAIN_MS = 5;

export const NOT_SENDING =
  'The application does not send: call "await app.init()" after "compile()". With the role "api" it never sends.';

/** False before the application is initialised, and after it is closed. */
export const isSending = (app: Context): boolean => app.get(Dispatcher, { strict: false }).isRunning;

/**
 * Resolves when nothing more is delivered until the clock moves.
 *
 * @param withinMs in real time.
 * @throws Error if that takes longer, or if the application does not send.
 */
export async function idle(app: Context, clock: Clock, withinMs: number): Promise<void> {
  if (!isSending(app)) throw new Error(NOT_SENDING);
  const queues = app.get(WebhookQueues, { strict: false });
  const end = Date.now() + withinMs;
  // A trigger that is claimed during the read is held after it.
  while (queues.budget.size > 0 || (await isAnyDue(app, clock)) || queues.budget.size > 0) {
    if (Date.now() > end) throw new Error(`Deliveries were still under way after ${withinMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_AGAIN_MS));
  }
}

/** Leaves out receivers that are paused after failures: theirs are sent once the clock has reached the end of the pause. */
async function isAnyDue(app: Context, clock: Clock): Promise<boolean> {
  const queues = app.get(WebhookQueues, { strict: false });
  const database = app.get(Database, { strict: false });
  // A trigger that is blocked is made due by whoever removes the mark.
  const marks = await database.query<unknown[]>('SELECT id FROM webhook_ordering_mark LIMIT 1');
  if (marks.length > 0) return true;
  const due = await database.query<{ id: string }[]>(
    `SELECT DISTINCT webhook_id AS id FROM webhook_trigger WHERE status = 'PENDING' AND next_attempt_at <= ?`,
    [clock.now()],
  );
  return due.some(({ id }) => (queues.probes.at(id) ?? 0) <= clock.monotonic());
}
