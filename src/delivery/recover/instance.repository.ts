import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { databaseTime } from '../../database/database-time.js';
import { InstanceEntity } from './instance.entity.js';
import type { Pulse } from './liveness.js';

/** The list of running processes. */
@Injectable()
export class InstanceRepository {
  private readonly now: string;

  constructor(private readonly database: Database) {
    this.now = databaseTime(database.dialect);
  }

  async register(id: string): Promise<void> {
    await this.database.query(
      `INSERT INTO webhook_instance (id, started_at, heartbeat_at) VALUES (?, ${this.now}, ${this.now})`,
      [id],
    );
  }

  /**
   * Changes the row even if the clock stands still or goes back: others see by the change that the instance is alive.
   *
   * @returns false if the instance is not in the list any more: others took it for dead.
   */
  async heartbeat(id: string): Promise<boolean> {
    const later = this.database.dialect === 'sqlite' ? 'MAX' : 'GREATEST';
    await this.database.query(
      `UPDATE webhook_instance SET heartbeat_at = ${later}(${this.now}, heartbeat_at + 1) WHERE id = ?`,
      [id],
    );
    return this.database.run((manager) => manager.existsBy(InstanceEntity, { id }));
  }

  async remove(id: string): Promise<void> {
    await this.database.run((manager) => manager.delete(InstanceEntity, { id }));
  }

  /** The other instances in the list. */
  async others(self: string): Promise<Pulse[]> {
    const rows = await this.database.query<{ id: string; at: number | string }[]>(
      'SELECT id, heartbeat_at AS at FROM webhook_instance WHERE id <> ?',
      [self],
    );
    return rows.map(({ id, at }) => ({ id, heartbeatAt: Number(at) }));
  }

  /** Removes the instances whose rows have not changed since they were read. They find out at their next heartbeat. */
  async removeDead(dead: Pulse[]): Promise<void> {
    for (const { id, heartbeatAt } of dead)
      await this.database.run((manager) => manager.delete(InstanceEntity, { id, heartbeatAt }));
  }
}
