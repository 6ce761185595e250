import { removeThose } from '../engine/ledger/removal.js';
import type { Database } from '../store/database.js';
import type { ScriptStep, SqliteAnswer } from '../store/sqlite/sqlite-session.js';
import { WITHOUT_PAYLOAD } from '../store/tables/trigger/attempt-content.js';
import type { Removal, RemovalAnswer, RemovalRepository } from './removal.repository.js';

/** SQL for whether a notification has no trigger that is still to be delivered. */
const isFinished = (id: string) =>
  `NOT EXISTS (SELECT 1 FROM webhook_trigger AS open INDEXED BY webhook_trigger_notification
    WHERE open.notification_id = ${id} AND open.status IN ('PENDING', 'DELIVERING'))`;

/** SQL for those of a JSON list of notifications that are finished. */
const FINISHED = `(SELECT value FROM json_each(?) WHERE ${isFinished('value')})`;
const TRIGGERS = `(SELECT t.id FROM webhook_trigger AS t INDEXED BY webhook_trigger_notification
    WHERE t.notification_id IN ${FINISHED})`;
/** Of one notification. */
const LISTED_TRIGGERS = `(SELECT value FROM json_each(?) WHERE ${isFinished('?')})`;

const STRIP_ATTEMPTS = `UPDATE webhook_attempt
  SET ${WITHOUT_PAYLOAD} WHERE trigger_id IN `;
const STRIP_NOTIFICATIONS = `UPDATE webhook_notification SET body = x'', payload_gone_at = ?
  WHERE id IN ${FINISHED} AND payload_gone_at = 0`;
const DELETE_ATTEMPTS = 'DELETE FROM webhook_attempt WHERE trigger_id IN ';

/** Milliseconds, to three places: the time of each statement on the database's own thread. */
const TIME = `SELECT (julianday('now') - 2440587.5) * 86400000.0 AS at`;

/** One message to the database's thread: nothing else can run in between. */
export class SqliteRemovalRepository implements RemovalRepository {
  constructor(private readonly database: Database) {}

  async remove(removal: Removal): Promise<RemovalAnswer> {
    const changes = changesOf(removal);
    const time = { sql: TIME, parameters: [] };
    const answers = (await this.database.script([
      time,
      ...changes,
      ...notesOf(removal),
      time,
    ])) as SqliteAnswer[];
    const begin = timeIn(answers[0]);
    const end = timeIn(answers.at(-1));
    const counted = changes.findIndex(({ sql }) =>
      /webhook_notification SET|FROM webhook_notification/.test(sql),
    );
    return {
      notifications: counted < 0 ? 0 : (answers[counted + 1]?.changes ?? 0),
      longestMs: Math.max(0, end - begin),
    };
  }
}

const timeIn = (answer?: SqliteAnswer) => (answer?.rows?.[0] as { at: number } | undefined)?.at ?? 0;

type Statement = Extract<ScriptStep, { parameters: unknown[] }>;

function changesOf({ what, batch: { ready, isListed, isPart }, now }: Removal): Statement[] {
  const [first] = ready;
  if (!first) return [];
  const ids = JSON.stringify(ready.map(({ id }) => id));
  const triggers = isListed ? LISTED_TRIGGERS : TRIGGERS;
  const of = isListed ? [JSON.stringify(first.triggerIds), first.id] : [ids];
  if (what === 'payload') {
    return [
      { sql: STRIP_NOTIFICATIONS, parameters: [now, ids] },
      { sql: STRIP_ATTEMPTS + triggers, parameters: of },
    ];
  }
  const notifications = `DELETE FROM webhook_notification WHERE id IN ${FINISHED}`;
  return [
    { sql: DELETE_ATTEMPTS + triggers, parameters: of },
    ...(isPart ? [] : [{ sql: notifications, parameters: [ids] }]),
    { sql: removeThose(triggers), parameters: of },
  ];
}

/** Statements that note what was passed over, and how far the task has come. */
function notesOf({ batch: { ready, waiting, isPart }, progress }: Removal): Statement[] {
  const ids = JSON.stringify(ready.map(({ id }) => id));
  if (!progress) {
    const done = `DELETE FROM webhook_overdue WHERE id IN ${FINISHED}`;
    return isPart ? [] : [{ sql: done, parameters: [ids] }];
  }
  const add = 'INSERT OR IGNORE INTO webhook_overdue (id) SELECT value FROM json_each(?)';
  const steps: Statement[] = [];
  if (waiting.length > 0) steps.push({ sql: add, parameters: [JSON.stringify(waiting)] });
  if (ready.length > 0) steps.push({ sql: `${add} WHERE NOT (${isFinished('value')})`, parameters: [ids] });
  const { task, instanceId, position } = progress;
  const reached = 'UPDATE webhook_task SET position = ? WHERE name = ? AND held_by = ?';
  if (!isPart) steps.push({ sql: reached, parameters: [position, task, instanceId] });
  return steps;
}
