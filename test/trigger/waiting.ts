import { CancellationRepository } from '../../src/engine/ledger/cancel/cancellation.repository.js';
import { newId } from '../../src/platform/ids/ids.js';
import type { Database } from '../../src/store/database.js';
import { ledgerOf } from '../support/change-log.js';

export interface WaitingTrigger {
  webhookId: string;
  /** @default none, as of a test */
  eventId?: string | null;
  dueAt: number;
}

/** Stores triggers that wait. @returns their ids in this order. */
export async function storeWaiting(database: Database, triggers: WaitingTrigger[]): Promise<string[]> {
  const ids = triggers.map(() => newId());
  const columns = 'id notification_id webhook_id event_id event_kind user_id status next_attempt_at'.split(
    ' ',
  );
  const rows = triggers.map(({ webhookId, eventId = null, dueAt }, at) => [
    ...[ids[at], ids[at], webhookId, eventId],
    ...['RECORD_FINISHED', 'ada', 'PENDING', dueAt],
  ]);
  await database.writeTogether([{ table: 'webhook_trigger', columns, rows }]);
  return ids;
}

/** What cancels triggers, of a process of its own. */
export function cancellationsOn(database: Database): CancellationRepository {
  return new CancellationRepository(database, ledgerOf(database));
}
