import { Inject, Injectable } from '@nestjs/common';
import { QueueSignals } from '../../engine/ledger/queue-signals.js';
import { newRecovery } from '../../engine/replay/scan/new-recovery.js';
import { RecoveryCount } from '../../engine/replay/scan/recovery-count.js';
import { endIdOf } from '../../engine/replay/scan/recovery-scope.js';
import type { WebhookRow } from '../../engine/webhook/webhook-row.js';
import { DepartedUsers } from '../../move/departed-users.js';
import { resendRefused } from '../../move/user-moved.js';
import type { Owner } from '../../platform/access/owner.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { invalid, notFound, Problem } from '../../platform/problem.js';
import { Vault } from '../../platform/secret/vault.js';
import { Cursors, type Page } from '../../rest/cursor.js';
import { timeOf } from '../../rest/input.js';
import { parseBody } from '../../rest/validation.js';
import type { RecoveryEntity } from '../../store/tables/webhook/recovery.entity.js';
import { WebhookRepository } from '../webhook.repository.js';
import { recoveryInput, recoveryListInput } from './dto/recovery.dto.js';
import { dryRunOf, type Recovery, type RecoveryQuery, type RecoveryRequest, recoveryOf } from './recovery.js';
import { RecoveryRepository } from './recovery.repository.js';

/** Sends again what a webhook missed, at a steady rate and in the background. */
@Injectable()
export class WebhookRecovery {
  private readonly cursors: Cursors;

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly recoveries: RecoveryRepository,
    private readonly counting: RecoveryCount,
    private readonly signals: QueueSignals,
    private readonly departed: DepartedUsers,
    vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.cursors = new Cursors(vault, 'recovery');
  }

  /**
   * Begins to make failed and cancelled triggers due, oldest first. Leaves out tests, triggers whose event is off or gone,
   * and what is erased or past retention. A process that sends carries it on, also after a restart.
   *
   * @throws Problem 400, 404, 409 `webhook_disabled`, `recovery_running` or `user_moved`
   */
  async recover(owner: Owner, request: RecoveryRequest): Promise<Recovery> {
    const { id, dryRun, ...given } = parseBody(recoveryInput, request);
    const now = this.clock.now();
    const span = { since: Date.parse(given.since), until: timeOf(given.until) ?? now };
    if (span.since > span.until) {
      throw invalid([{ pointer: '/since', message: 'must not be after "until", which is now unless given' }]);
    }
    const found = await this.webhooks.find(owner, id);
    if (!found) throw notFound('webhook');
    const { missed, perSecond } = given;
    const asked = newRecovery(found.row, { ...span, missed, perSecond }, now);
    const row = await this.counted(found, asked, dryRun);
    if (dryRun) return dryRunOf(row);
    // Only now, as counting may take longer than the end of a move waits for.
    if (await this.departed.has(row.userId)) throw resendRefused();
    if (!(await this.recoveries.insert(row))) throw running(await this.recoveries.running(id));
    this.signals.emit('recovering');
    return recoveryOf(row);
  }

  /** @throws Problem 404 */
  async find(owner: Owner, id: string): Promise<Recovery> {
    return recoveryOf(await this.stored(owner, id));
  }

  /** Newest first. @throws Problem 400 naming every bad field; 400 `invalid_cursor` */
  async list(owner: Owner, query: RecoveryQuery = {}): Promise<Page<Recovery>> {
    const { limit, cursor, ...filter } = parseBody(recoveryListInput, query);
    const rows = await this.recoveries.list(owner, filter, { limit, after: this.cursors.read(cursor) });
    return this.cursors.page(rows, limit, recoveryOf);
  }

  /**
   * Stops it. What it has made due already, a few seconds' worth at most, is still sent. Changes nothing if it has ended.
   *
   * @throws Problem 404
   */
  async stop(owner: Owner, id: string): Promise<Recovery> {
    await this.stored(owner, id);
    await this.recoveries.stop(id, this.clock.now());
    return this.find(owner, id);
  }

  /** Checks before it counts that it may begin: counting may take seconds. */
  private async counted(found: WebhookRow, row: RecoveryEntity, dryRun: boolean): Promise<RecoveryEntity> {
    if (!dryRun) {
      if (!found.row.enabled) throw disabled();
      const other = await this.recoveries.running(row.webhookId);
      if (other) throw running(other);
    }
    const { webhookId, userId } = row;
    const events = found.events.filter(({ enabled }) => enabled);
    const scope = { webhookId, userId, events, endId: endIdOf(row) };
    const { total, through } = await this.counting.count(row, scope);
    return { ...row, total, counted: through ?? scope.endId };
  }

  private async stored(owner: Owner, id: string): Promise<RecoveryEntity> {
    const row = await this.recoveries.find(owner, id);
    if (!row) throw notFound('recovery');
    return row;
  }
}

function disabled(): Problem {
  return new Problem(
    409,
    'webhook_disabled',
    'The webhook is disabled, and what became due would be cancelled again. Enable it first, or count with "dry_run".',
  );
}

function running(other: RecoveryEntity | null): Problem {
  const which = other ? ` (${other.id})` : '';
  return new Problem(
    409,
    'recovery_running',
    `A recovery of this webhook is running${which}. Wait until it is done, or stop it first.`,
  );
}
