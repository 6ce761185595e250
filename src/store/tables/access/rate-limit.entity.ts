import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_rate_limit`: how many calls the instances have reserved for a client in a window. */
export class RateLimitEntity {
  windowStart: number;
  /** SHA-256 of the policy and the client id, hexadecimal: a host's client ids may have any length. */
  clientHash: string;
  calls: number;
}

export const rateLimitSchema = (column: Columns) =>
  new EntitySchema<RateLimitEntity>({
    name: 'RateLimitEntity',
    target: RateLimitEntity,
    tableName: 'webhook_rate_limit',
    columns: {
      // Comes first in the key, so that old windows form one range.
      windowStart: { ...column.time(), name: 'window_start', primary: true },
      clientHash: { ...column.ascii(64), name: 'client_hash', primary: true },
      calls: column.integer(),
    },
  });
