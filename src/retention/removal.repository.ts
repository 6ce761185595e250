import type { Batch } from './batch.js';

/** What goes: bodies, requests and responses, or everything. */
export type Removed = 'payload' | 'rows';

/** How far a task has come, noted in the transaction. */
export interface Progress {
  task: string;
  instanceId: string;
  position: string;
}

/** One transaction of retention. */
export interface Removal {
  what: Removed;
  batch: Batch;
  /** Epoch milliseconds. */
  now: number;
  /** Null where the candidates are those passed over before. */
  progress: Progress | null;
}

/** What a transaction did. */
export interface RemovalAnswer {
  notifications: number;
  /** Its longest statement; on SQLite all of them together, as nothing runs in between. */
  longestMs: number;
}

/** Another instance does the work now, and this transaction was rolled back. */
export class TaskLostError extends Error {}

/**
 * Removes what is past its retention. Each transaction looks again whether a notification is finished, and it locks the
 * notification first: whoever makes a trigger due again does so, too.
 */
export abstract class RemovalRepository {
  abstract remove(removal: Removal): Promise<RemovalAnswer>;
}
