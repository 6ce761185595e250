import { Injectable } from '@nestjs/common';
import { Database } from '../../store/database.js';
import { TaskEntity } from '../../store/tables/task.entity.js';
import { Instance } from './instance.js';

/**
 * Which instance does a piece of background work for all of them. It keeps it until it leaves the list of instances, so no
 * clock is involved. An instance that was taken for dead may still be at work for a moment: each transaction of such work
 * must be right even if two do it.
 */
@Injectable()
export class TaskLease {
  private readonly insertSql: string;

  constructor(
    private readonly database: Database,
    private readonly instance: Instance,
  ) {
    const ignore = database.dialect === 'sqlite' ? 'OR IGNORE' : 'IGNORE';
    this.insertSql = `INSERT ${ignore} INTO webhook_task (name) VALUES (?)`;
  }

  /** Takes or keeps a task. @returns how far it has come; null if another instance does it. */
  async take(name: string): Promise<{ position: string } | null> {
    const held = await this.find(name);
    if (held?.heldBy === this.instance.id) return held;
    if (!held) await this.database.query(this.insertSql, [name]);
    await this.database.query(
      `UPDATE webhook_task SET held_by = ? WHERE name = ?
       AND NOT EXISTS (SELECT 1 FROM webhook_instance WHERE id = held_by)`,
      [this.instance.id, name],
    );
    const taken = await this.find(name);
    return taken?.heldBy === this.instance.id ? taken : null;
  }

  /** Notes how far a task has come, if this instance still does it. */
  async reached(name: string, position: string): Promise<void> {
    await this.database.run((manager) =>
      manager.update(TaskEntity, { name, heldBy: this.instance.id }, { position }),
    );
  }

  private find(name: string): Promise<TaskEntity | null> {
    return this.database.run((manager) => manager.findOneBy(TaskEntity, { name }));
  }
}
