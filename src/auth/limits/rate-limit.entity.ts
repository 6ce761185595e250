import { EntitySchema } from 'typeorm';
import type { Columns } from '../../database/columns.js';

/** A row of `webhook_rate_limit`: the calls of a client in a window that the instances have reserved. */
export class RateLimitEntity {
  windowStart: number;
  /** SHA-256 of what is limited and of the client, hexadecimal: a host's client ids may be of any length. */
  clientHash: string;
  calls: number;
}

export const rateLimitSchema = (column: Columns) =>
  new EntitySchema<RateLimitEntity>({
    name: 'RateLimitEntity',
    target: RateLimitEntity,
    tableName: 'webhook_rate_limit',
    columns: {
      // First in the key: old windows are a range of it.
      windowStart: { ...column.time(), name: 'window_start', primary: true },
      clientHash: { ...column.ascii(64), name: 'client_hash', primary: true },
      calls: column.integer(),
    },
  });
