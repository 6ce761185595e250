import { failpoint } from '../../common/failpoint.js';
import type { Database } from '../../database/database.js';
import { insertStep } from '../../database/insert.js';
import { ROW_UNCHANGED } from '../../database/sqlite/sqlite-session.js';
import type { UnwantedTriggers } from '../../trigger/cancel/unwanted-triggers.repository.js';
import type { ChangeLog } from '../../trigger/changes/change-log.repository.js';
import { NoticeRepository } from '../report/notice.repository.js';
import {
  ATTEMPT_COLUMNS,
  type AttemptResult,
  attemptsOf,
  countsOf,
  endOf,
  isMissed,
  isWaiting,
  latestEndOf,
  lineMarksOf,
} from './attempt-result.js';
import type { SettlementRepository } from './settlement.repository.js';

const UPDATE_ONE = `UPDATE webhook_trigger SET status = ?, attempt_count = ?, begin_at = CASE begin_at WHEN 0 THEN ? ELSE begin_at END,
    end_at = ?, next_attempt_at = ?, has_failed = ?, cause = 'schedule', leased_by = '', lease = lease + 1
  WHERE id = ? AND lease = ?`;

/** The parameters of {@link UPDATE_ONE}. */
const toUpdate = (result: AttemptResult) => [
  result.status,
  result.number,
  result.beginAt,
  endOf(result),
  result.nextAttemptAt ?? 0,
  result.hasFailed ? 1 : 0,
  result.id,
  result.lease,
];

const INSERT_ONE = `INSERT OR IGNORE INTO webhook_attempt (${ATTEMPT_COLUMNS.join(', ')})
  VALUES (${ATTEMPT_COLUMNS.map(() => '?').join(', ')})`;

/** A notice of a result, and what its trigger's row holds if the result counts. */
const toSettledNotice = ({ notice, id, lease, number }: AttemptResult) =>
  notice === null ? [] : [{ notice, triggerId: id, lease: lease + 1, number }];

const COUNT_ONE = `INSERT INTO webhook_statistic_delta (id, counts) VALUES (?, ?)`;

/** Settles row by row, in one message to the database's thread: nothing else can run in between. */
export class SqliteSettlementRepository implements SettlementRepository {
  constructor(
    private readonly database: Database,
    private readonly notices: NoticeRepository,
    private readonly changes: ChangeLog,
    private readonly unwanted: UnwantedTriggers,
  ) {}

  async settle(results: AttemptResult[]): Promise<void> {
    try {
      await this.store(results, true);
    } catch (error) {
      if ((error as { code?: unknown }).code !== ROW_UNCHANGED) throw error;
      await this.store(results, false);
    }
    failpoint('settle-committed');
  }

  /** @param allHeld nearly always every lease is still held. The results are counted together then; if not, each alone. */
  private async store(results: AttemptResult[], allHeld: boolean): Promise<void> {
    const waiting = results.filter(isWaiting);
    const lines = lineMarksOf(results);
    await this.changes.noting({ trigger: results.map(({ id }) => id) }, null, (noted) =>
      this.database.script([
        'settle-begun',
        { sql: UPDATE_ONE, rows: results.map(toUpdate), mustChange: allHeld },
        'settle-updated',
        { sql: INSERT_ONE, rows: attemptsOf(results).rows, changedBy: 0 },
        ...this.notices.ofSettled(results.flatMap(toSettledNotice)),
        ...this.unwanted.steps(waiting, results.filter(isMissed), latestEndOf(waiting)),
        ...(lines.rows.length > 0 ? [insertStep(lines)] : []),
        ...noted.map(insertStep),
        allHeld
          ? { sql: COUNT_ONE, rows: countsOf([results]).rows }
          : { sql: COUNT_ONE, rows: countsOf(results.map((result) => [result])).rows, changedBy: 0 },
        'settle-written',
      ]),
    );
  }
}
