import { Column, Table } from '../../table.js';

/** A row of `webhook_rate_limit`: how many calls the instances have reserved for a client in a window. */
@Table('webhook_rate_limit')
export class RateLimitEntity {
  // Comes first in the key, so that old windows form one range.
  @Column.time({ primary: true }) windowStart: number;
  /** SHA-256 of the policy and the client id, hexadecimal: a host's client ids may have any length. */
  @Column.ascii(64, { primary: true }) clientHash: string;
  @Column.integer() calls: number;
}
