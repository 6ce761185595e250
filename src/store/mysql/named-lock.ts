import { createHash } from 'node:crypto';

/** Rows that locks share. */
const LOCKS = 256;

/** Writes to the row of a lock, which nobody else can do before the transaction ends. */
export const TAKE_LOCK =
  'INSERT INTO webhook_lock (number, uses) VALUES (?, 1) ON DUPLICATE KEY UPDATE uses = (uses + 1) % 1000000';

export const lockNumberOf = (name: string) =>
  createHash('sha256').update(name).digest().readUInt16BE() % LOCKS;
