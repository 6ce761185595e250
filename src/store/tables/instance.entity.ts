import { Column, Table } from '../table.js';

/** A row of `webhook_instance`: a running process. Its leases hold as long as its heartbeat is recent. */
@Table('webhook_instance', {
  indices: [{ name: 'webhook_instance_name', columns: ['name'], unique: true }],
})
export class InstanceEntity {
  @Column.ascii(36, { primary: true }) id: string;
  @Column.time() startedAt: number;
  /** By the database's clock. Epoch milliseconds; {@link REPLACED} once another process has the name. */
  @Column.time() heartbeatAt: number;
  /** Which process of which machine it is; null if that is not known. */
  @Column.ascii(80, { nullable: true }) process: string | null;
  /** Whoever starts with this name replaces this process; null for none. */
  @Column.ascii(64, { nullable: true }) name: string | null;
}

/** The last heartbeat of a process that was replaced: it can send no other. */
export const REPLACED = -1;
