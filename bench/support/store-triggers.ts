import type { Scene } from './scene.js';

/** Rows per statement. */
const CHUNK = 20_000;
/** Older than any new id. */
const PREFIX = '01900000-0000-7000-8000-';
const RECORDS = 100;

interface Stored {
  /** The owner of one webhook. */
  userId: string;
  status: 'FAILED' | 'SUCCEEDED';
  rows: number;
}

/**
 * Stores old triggers of one webhook, each with a notification of 1 KiB of its own: of the records `rec_0` to `rec_99` in
 * turn.
 *
 * @returns the webhook's id.
 */
export async function storeTriggers({ database }: Scene, { userId, status, rows }: Stored): Promise<string> {
  const [event] = await database.query<{ id: string; webhook_id: string }>(
    'SELECT id, webhook_id FROM webhook_event WHERE user_id = ?',
    [userId],
  );
  if (!event) throw new Error(`${userId} has no webhook`);
  const sqlite = database.kind === 'sqlite';
  const id = sqlite
    ? `'${PREFIX}' || printf('%012x', n.seq)`
    : `CONCAT('${PREFIX}', LPAD(LOWER(HEX(n.seq)), 12, '0'))`;
  const record = sqlite ? `'rec_' || (n.seq % ${RECORDS})` : `CONCAT('rec_', n.seq % ${RECORDS})`;
  const body = JSON.stringify({ data: { id: 'rec_1', filler: 'x'.repeat(1000), analysis: [] } });
  for (let from = 1; from <= rows; from += CHUNK) {
    const to = Math.min(rows, from + CHUNK - 1);
    const numbers = sqlite
      ? `(WITH RECURSIVE s(seq) AS (SELECT ${from} UNION ALL SELECT seq + 1 FROM s WHERE seq < ${to}) SELECT seq FROM s)`
      : `seq_${from}_to_${to}`;
    await database.query(
      `INSERT INTO webhook_notification (id, user_id, event_kind, triggered_at, body, record_id)
       SELECT ${id}, '${userId}', 'ANALYSIS_FINISHED', 0, CAST(? AS ${sqlite ? 'BLOB' : 'BINARY'}), ${record}
       FROM ${numbers} n`,
      [body],
    );
    await database.query(
      `INSERT INTO webhook_trigger (id, notification_id, webhook_id, event_id, event_kind, user_id, status, attempt_count)
       SELECT ${id}, ${id}, ?, ?, 'ANALYSIS_FINISHED', '${userId}', '${status}', 8 FROM ${numbers} n`,
      [event.webhook_id, event.id],
    );
  }
  await database.flush();
  return event.webhook_id;
}
