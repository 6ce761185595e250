import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';
import { databaseTime } from '../../store/database-time.js';
import { InstanceEntity, REPLACED } from '../../store/tables/instance.entity.js';
import type { Pulse } from './liveness.js';

export interface ListedInstance extends Pulse, Pick<InstanceEntity, 'process'> {}

type NewInstance = Pick<InstanceEntity, 'id'> & Partial<Pick<InstanceEntity, 'process' | 'name'>>;

/** The list of running processes. */
@Injectable()
export class InstanceRepository {
  private readonly now: string;

  constructor(private readonly database: Database) {
    this.now = databaseTime(database.dialect);
  }

  /** Whether only one instance can run at a time, so that none replaces another. */
  get isAlone(): boolean {
    return this.database.dialect === 'sqlite';
  }

  async register({ id, process, name }: NewInstance, manager?: EntityManager): Promise<void> {
    await this.database.query(
      `INSERT INTO webhook_instance (id, started_at, heartbeat_at, process, name) VALUES (?, ${this.now}, ${this.now}, ?, ?)`,
      [id, process ?? null, name ?? null],
      manager,
    );
  }

  /** Registers an instance in place of the one that has its name. That one's heartbeats are not confirmed from the commit on. */
  async replace(instance: NewInstance): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.database.query(
        `UPDATE webhook_instance SET heartbeat_at = ${REPLACED}, name = NULL WHERE name = ?`,
        [instance.name],
        manager,
      );
      await this.register(instance, manager);
    });
  }

  /**
   * Changes the row even if the clock stands still or goes back: others see by the change that the instance is alive.
   * On Galera a change also conflicts with a replacement on another node, which a read there might miss.
   */
  async heartbeat(id: string): Promise<'listed' | 'replaced' | 'gone'> {
    const later = this.database.dialect === 'sqlite' ? 'MAX' : 'GREATEST';
    await this.database.query(
      `UPDATE webhook_instance SET heartbeat_at = ${later}(${this.now}, heartbeat_at + 1)
       WHERE id = ? AND heartbeat_at <> ${REPLACED}`,
      [id],
    );
    const [row] = await this.database.query<{ at: number | string }[]>(
      'SELECT heartbeat_at AS at FROM webhook_instance WHERE id = ?',
      [id],
    );
    if (!row) return 'gone';
    return Number(row.at) === REPLACED ? 'replaced' : 'listed';
  }

  async remove(id: string): Promise<void> {
    await this.database.run((manager) => manager.delete(InstanceEntity, { id }));
  }

  /** The other instances in the list. */
  async others(self: string): Promise<ListedInstance[]> {
    const rows = await this.database.query<{ id: string; at: number | string; process: string | null }[]>(
      'SELECT id, heartbeat_at AS at, process FROM webhook_instance WHERE id <> ?',
      [self],
    );
    return rows.map(({ id, at, process }) => ({ id, heartbeatAt: Number(at), process }));
  }

  /** Removes the instances whose rows have not changed since they were read. They find out at their next heartbeat. */
  async removeDead(dead: Pulse[]): Promise<void> {
    for (const { id, heartbeatAt } of dead)
      await this.database.run((manager) => manager.delete(InstanceEntity, { id, heartbeatAt }));
  }
}
