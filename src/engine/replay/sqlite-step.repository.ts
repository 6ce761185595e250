import { failpoint } from '../../platform/failpoint.js';
import type { Database } from '../../store/database.js';
import type { SqliteAnswer } from '../../store/sqlite/sqlite-session.js';
import type { RecoveryEntity } from '../../store/tables/webhook/recovery.entity.js';
import type { Instance } from '../instance/instance.js';
import type { Ledger } from '../ledger/ledger.repository.js';
import { replayedBy, type Step, type StepRepository } from './step.repository.js';

/** The recovery, if it runs, is held by this instance, and stands where the step was planned. */
const OWN = `id = ? AND state = 'RUNNING' AND held_by = ? AND position = ?`;
const IS_WANTED = `EXISTS (SELECT 1 FROM webhook_recovery WHERE ${OWN})
  AND EXISTS (SELECT 1 FROM webhook WHERE id = ? AND enabled = 1)
  AND EXISTS (SELECT 1 FROM webhook_event WHERE id = j.event_id AND enabled = 1)`;
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
    private readonly ledger: Ledger,
  ) {}

  async carryOn(row: RecoveryEntity, step: Step): Promise<boolean> {
    const own = [row.id, this.instance.id, row.position];
    const wanted = [...own, row.webhookId];
    const { endId, now } = step;
    const { through } = step.stretch;
    const answers = await this.ledger.replaying(
      replayedBy(row, step),
      { sql: IS_WANTED, parameters: wanted },
      { sql: COUNT, parameters: own },
      (steps) =>
        this.database.script([
          'redeliver-begun',
          ...steps,
          'redeliver-made',
          { sql: STOP, parameters: [now, ...wanted] },
          through === null
            ? { sql: END, parameters: [endId, now, ...own] }
            : { sql: MOVE, parameters: [through, ...own] },
          'redeliver-written',
        ]),
    );
    failpoint('redeliver-committed');
    return through !== null && (answers.at(-1) as SqliteAnswer).changes > 0;
  }
}
