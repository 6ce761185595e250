import { failpoint } from '../../platform/failpoint.js';
import type { Database } from '../../store/database.js';
import { ROW_UNCHANGED } from '../../store/sqlite/sqlite-session.js';
import type { UnwantedTriggers } from '../ledger/cancel/unwanted-triggers.repository.js';
import type { Ledger } from '../ledger/ledger.repository.js';
import { NoticeRepository } from '../report/notice.repository.js';
import {
  ATTEMPT_COLUMNS,
  type AttemptResult,
  attemptsOf,
  countsOf,
  isMissed,
  isWaiting,
  latestEndOf,
} from './attempt-result.js';
import type { SettlementRepository } from './settlement.repository.js';

const INSERT_ONE = `INSERT OR IGNORE INTO webhook_attempt (${ATTEMPT_COLUMNS.join(', ')})
  VALUES (${ATTEMPT_COLUMNS.map(() => '?').join(', ')})`;

/** A notice of a result, and what its trigger's row holds if the result counts. */
const toSettledNotice = ({ notice, id, lease, number }: AttemptResult) =>
  notice === null ? [] : [{ notice, triggerId: id, lease: lease + 1, number }];

const COUNT_ONE = `INSERT INTO webhook_statistic_delta (id, counts) VALUES (?, ?)`;

/** Settles row by row, in one message to the database's thread: nothing else can run in between. */
export class ScriptSettlementRepository implements SettlementRepository {
  constructor(
    private readonly database: Database,
    private readonly notices: NoticeRepository,
    private readonly unwanted: UnwantedTriggers,
    private readonly ledger: Ledger,
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
    await this.ledger.settling(results, allHeld, (settle, follow) =>
      this.database.script([
        'settle-begun',
        settle,
        'settle-updated',
        { sql: INSERT_ONE, rows: attemptsOf(results).rows, changedBy: 0 },
        ...this.notices.ofSettled(results.flatMap(toSettledNotice)),
        ...this.unwanted.steps(waiting, results.filter(isMissed), latestEndOf(waiting)),
        ...follow,
        allHeld
          ? { sql: COUNT_ONE, rows: countsOf([results]).rows }
          : { sql: COUNT_ONE, rows: countsOf(results.map((result) => [result])).rows, changedBy: 0 },
        'settle-written',
      ]),
    );
  }
}
