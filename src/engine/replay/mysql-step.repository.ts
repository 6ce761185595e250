import type { EntityManager } from 'typeorm';
import { failpoint } from '../../platform/failpoint.js';
import type { Database } from '../../store/database.js';
import type { RecoveryEntity } from '../../store/tables/webhook/recovery.entity.js';
import type { Instance } from '../instance/instance.js';
import type { Ledger } from '../ledger/ledger.repository.js';
import type { Found } from './scan/recovery-scope.js';
import { replayedBy, type Step, type StepRepository } from './step.repository.js';

/** Steps on MySQL and MariaDB: with locks, in the order in which settling, switching off and erasing take them. */
export class MysqlStepRepository implements StepRepository {
  constructor(
    private readonly database: Database,
    private readonly instance: Instance,
    private readonly ledger: Ledger,
  ) {}

  async carryOn(row: RecoveryEntity, step: Step): Promise<boolean> {
    const isCarriedOn = await this.database.transaction(async (manager) => {
      if (!(await this.lock(manager, row))) return false;
      failpoint('redeliver-begun');
      const events = await this.events(manager, row.webhookId);
      if (!events) {
        await this.end(manager, row, 'STOPPED', step.now);
        return false;
      }
      const { found, through } = step.stretch;
      const isOn = ({ event }: Found) => events.has(event.id);
      const bodies = await this.withBodies(manager, found.filter(isOn));
      const isWanted = (one: Found) => isOn(one) && bodies.has(one.notificationId);
      const made = await this.ledger.replay(manager, replayedBy(row, step, isWanted));
      failpoint('redeliver-made');
      await this.database.query(
        'UPDATE webhook_recovery SET position = ?, total = GREATEST(total, done + ?), done = done + ? WHERE id = ?',
        [through ?? step.endId, made, made, row.id],
        manager,
      );
      if (through === null) await this.end(manager, row, 'DONE', step.now);
      failpoint('redeliver-written');
      return through !== null;
    });
    failpoint('redeliver-committed');
    return isCarriedOn;
  }

  /** Whoever holds this lock is the only one to carry the recovery on; stopping it waits. */
  private async lock(manager: EntityManager, { id, position }: RecoveryEntity): Promise<boolean> {
    const rows = await this.database.query<unknown[]>(
      `SELECT id FROM webhook_recovery WHERE id = ? AND state = 'RUNNING' AND held_by = ? AND position = ? FOR UPDATE`,
      [id, this.instance.id, position],
      manager,
    );
    return rows.length > 0;
  }

  /** The ids of the enabled events; null if the webhook is off or gone. Nothing is switched off until the transaction ends. */
  private async events(manager: EntityManager, webhookId: string): Promise<Set<string> | null> {
    const webhooks = await this.database.query<unknown[]>(
      'SELECT id FROM webhook WHERE id = ? AND enabled = 1 LOCK IN SHARE MODE',
      [webhookId],
      manager,
    );
    if (webhooks.length === 0) return null;
    const events = await this.database.query<{ id: string }[]>(
      'SELECT id FROM webhook_event WHERE webhook_id = ? AND enabled = 1 LOCK IN SHARE MODE',
      [webhookId],
      manager,
    );
    return new Set(events.map(({ id }) => id));
  }

  /** The notifications whose body is there. Nobody takes it away until the transaction ends. */
  private async withBodies(manager: EntityManager, found: Found[]): Promise<Set<string>> {
    if (found.length === 0) return new Set();
    const rows = await this.database.query<{ id: string }[]>(
      'SELECT id FROM webhook_notification WHERE id IN (?) AND payload_gone_at = 0 LOCK IN SHARE MODE',
      [found.map(({ notificationId }) => notificationId)],
      manager,
    );
    return new Set(rows.map(({ id }) => id));
  }

  private async end(
    manager: EntityManager,
    { id }: RecoveryEntity,
    state: 'DONE' | 'STOPPED',
    now: number,
  ): Promise<void> {
    await this.database.query(
      'UPDATE webhook_recovery SET state = ?, running_of = NULL, end_at = ? WHERE id = ?',
      [state, now, id],
      manager,
    );
  }
}
