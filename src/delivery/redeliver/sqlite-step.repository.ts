import { failpoint } from '../../common/failpoint.js';
import type { Database } from '../../database/database.js';
import { insertStep } from '../../database/insert.js';
import { jsonRows, updateFromRows } from '../../database/json-rows.js';
import type { SqliteAnswer } from '../../database/sqlite/sqlite-session.js';
import type { ChangeLog } from '../../trigger/changes/change-log.repository.js';
import type { RecoveryEntity } from '../../webhook/recovery/recovery.entity.js';
import type { Instance } from '../recover/instance.js';
import {
  IS_UNDELIVERED,
  NEW_COLUMNS,
  NEW_IN_TURN,
  REVIVED,
  type Step,
  type StepRepository,
} from './step.repository.js';

/** The recovery, if it runs, is held by this instance, and stands where the step was planned. */
const OWN = `id = ? AND state = 'RUNNING' AND held_by = ? AND position = ?`;
const IS_WANTED = `EXISTS (SELECT 1 FROM webhook_recovery WHERE ${OWN})
  AND EXISTS (SELECT 1 FROM webhook WHERE id = ? AND enabled = 1)
  AND EXISTS (SELECT 1 FROM webhook_event WHERE id = j.event_id AND enabled = 1)`;
const HAS_BODY = 'SELECT 1 FROM webhook_notification AS n WHERE payload_gone_at = 0 AND';

const REVIVE = `${updateFromRows(
  'sqlite',
  'webhook_trigger',
  { id: 'id', event_id: 'id', due_at: 'integer' },
  REVIVED,
  `t.id = j.id AND ${IS_UNDELIVERED}`,
)} AND EXISTS (${HAS_BODY} n.id = t.notification_id) AND ${IS_WANTED}`;

const MADE = {
  id: 'id',
  notification_id: 'id',
  event_id: 'id',
  event_kind: 'word',
  due_at: 'integer',
} as const;
const MAKE = `INSERT OR IGNORE INTO webhook_trigger (${NEW_COLUMNS})
  SELECT j.id, j.notification_id, ?, j.event_id, j.event_kind, ?, 'PENDING', ${NEW_IN_TURN.due}, 'recover', ${NEW_IN_TURN.lined}
  FROM ${jsonRows('sqlite', MADE)} AS j
  WHERE EXISTS (${HAS_BODY} n.id = j.notification_id) AND ${IS_WANTED}`;

const MARK = `INSERT INTO webhook_line_mark (trigger_id) SELECT id FROM webhook_trigger
  WHERE id IN (SELECT value FROM json_each(?)) AND lined = 1`;

/** `changes()` are the rows that the statement before changed. */
const COUNT = `UPDATE webhook_recovery SET total = MAX(total, done + changes()), done = done + changes() WHERE ${OWN}`;
const STOP = `UPDATE webhook_recovery SET state = 'STOPPED', running_of = NULL, end_at = ? WHERE ${OWN}
  AND NOT EXISTS (SELECT 1 FROM webhook WHERE id = ? AND enabled = 1)`;
const MOVE = `UPDATE webhook_recovery SET position = ? WHERE ${OWN}`;
const END = `UPDATE webhook_recovery SET position = ?, state = 'DONE', running_of = NULL, end_at = ? WHERE ${OWN}`;

/** Steps in one message to the database's thread: nothing else can run in between, or wait for the event loop. */
export class SqliteStepRepository implements StepRepository {
  constructor(
    private readonly database: Database,
    private readonly instance: Instance,
    private readonly changes: ChangeLog,
  ) {}

  async carryOn(row: RecoveryEntity, { stretch, isLined, dueAt, endId, now }: Step): Promise<boolean> {
    const own = [row.id, this.instance.id, row.position];
    const wanted = [...own, row.webhookId];
    const found = stretch.found.map((one, i) => ({ ...one, dueAt: dueAt[i] as number }));
    const old = found.filter(({ isNew }) => !isNew);
    const missing = found.filter(({ isNew }) => isNew);
    const revived = old.map((one) => [one.triggerId, one.event.id, one.dueAt]);
    const made = missing.map((one) => [
      ...[one.triggerId, one.notificationId, one.event.id, one.event.kind],
      one.dueAt,
    ]);
    const lined = isLined ? 1 : 0;
    const ids = found.map(({ triggerId }) => triggerId);
    const count = { sql: COUNT, parameters: own };
    const answers = await this.changes.noting({ trigger: ids }, null, (noted) =>
      this.database.script([
        'redeliver-begun',
        { sql: REVIVE, parameters: [JSON.stringify(revived), ...wanted] },
        count,
        { sql: MAKE, parameters: [row.webhookId, row.userId, lined, lined, JSON.stringify(made), ...wanted] },
        count,
        { sql: MARK, parameters: [JSON.stringify(ids)] },
        ...noted.map(insertStep),
        'redeliver-made',
        { sql: STOP, parameters: [now, ...wanted] },
        stretch.through === null
          ? { sql: END, parameters: [endId, now, ...own] }
          : { sql: MOVE, parameters: [stretch.through, ...own] },
        'redeliver-written',
      ]),
    );
    failpoint('redeliver-committed');
    return stretch.through !== null && (answers.at(-1) as SqliteAnswer).changes > 0;
  }
}
