import type { LeasedNotification } from './leased-trigger.js';

/** The most bytes of bodies that a claim reads: as many as a process may have. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A notification as a claim finds it: with its body if that is small. */
export interface FoundNotification extends Omit<LeasedNotification, 'isUnread'> {
  /** The size of its body; null if that is gone. */
  bytes: number | null;
}

interface ReadBody {
  id: string;
  body: Buffer;
}

/** Up to which size the bodies of so many notifications can be read without asking how large they are. */
export const smallBytes = (count: number) => Math.floor(MAX_BYTES / Math.max(1, count));

/**
 * Adds the bodies that were too large to be read unseen, as many as fit. How many triggers are claimed goes by the expected size of
 * their bodies, and after small ones the next ones may all be large.
 */
export async function withLargeBodies(
  found: FoundNotification[],
  read: (ids: string[]) => Promise<ReadBody[]>,
): Promise<LeasedNotification[]> {
  let left = MAX_BYTES;
  for (const { body } of found) left -= body?.length ?? 0;
  const large = found.filter(({ body, bytes }) => body === null && bytes);
  const fitting = large.filter(({ bytes }) => {
    left -= Number(bytes);
    return left >= 0;
  });
  const ids = fitting.map(({ id }) => id);
  const bodies = new Map((ids.length > 0 ? await read(ids) : []).map(({ id, body }) => [id, body]));
  // Field by field: leaving one out of a copy costs several times as much.
  return found.map(({ id, traceparent, hops, bytes, body: small }) => {
    const body = small ?? bodies.get(id) ?? null;
    return { id, traceparent, hops, body, isUnread: body === null && Boolean(bytes) };
  });
}
