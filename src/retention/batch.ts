/** A notification that may be past its retention. */
export interface Candidate {
  id: string;
  /** Null if there is no such notification, only triggers that name it. Epoch milliseconds. */
  triggeredAt: number | null;
  /** Of its body, where that is cheap to know; otherwise 0. */
  bytes: number;
}

/** A trigger of a candidate. */
export interface CandidateTrigger {
  id: string;
  notificationId: string;
  /** Whether it is still to be delivered, or is being delivered. */
  isOpen: boolean;
  attempts: number;
}

/** What one transaction takes on. */
export interface Batch {
  /** Notifications that look finished, with their triggers. */
  ready: { id: string; triggerIds: string[] }[];
  /** Notifications that are not finished, or not of age. */
  waiting: string[];
  /** The last candidate that it deals with. */
  end: string;
  /** Whether `ready` is a single notification with more triggers than fit: only those listed are changed. */
  isListed: boolean;
  /** Whether it has more triggers after those listed. */
  isPart: boolean;
}

/** A notification itself weighs as much as this many bytes. */
const BYTES_OF_A_ROW = 4096;

/**
 * Cuts the candidates to what one transaction can take.
 *
 * @param candidates in the order of their ids, at least one.
 * @param triggers theirs, by notification and id; if `isCut`, only the first of them.
 * @param isOfAge whether a notification of this time is past its retention.
 * @param room how many rows it may take.
 */
export function batchOf(
  candidates: Candidate[],
  triggers: CandidateTrigger[],
  isCut: boolean,
  isOfAge: (triggeredAt: number) => boolean,
  room: number,
): Batch {
  const byNotification = Map.groupBy(triggers, ({ notificationId }) => notificationId);
  const incomplete = isCut ? triggers.at(-1)?.notificationId : undefined;
  const batch: Batch = { ready: [], waiting: [], end: '', isListed: false, isPart: false };
  let left = room;
  for (const { id, triggeredAt, bytes } of candidates) {
    const own = byNotification.get(id) ?? [];
    left -= 1 + bytes / BYTES_OF_A_ROW + own.reduce((sum, { attempts }) => sum + 1 + attempts, 0);
    const isFirst = batch.end === '';
    if (!isFirst && (left < 0 || id === incomplete)) break;
    batch.end = id;
    const isReady = !own.some(({ isOpen }) => isOpen) && (triggeredAt === null || isOfAge(triggeredAt));
    if (!isReady) {
      batch.waiting.push(id);
      if (id === incomplete) break;
      continue;
    }
    const taken = left < 0 ? fitting(own, room) : own;
    batch.ready.push({ id, triggerIds: taken.map((trigger) => trigger.id) });
    batch.isPart = id === incomplete || taken.length < own.length;
    batch.isListed = batch.isPart;
    if (batch.isPart) break;
  }
  return batch;
}

/** The first triggers that fit, at least one. */
function fitting(triggers: CandidateTrigger[], room: number): CandidateTrigger[] {
  let left = room;
  const end = triggers.findIndex(({ attempts }, index) => {
    left -= 1 + attempts;
    return index > 0 && left < 0;
  });
  return end < 0 ? triggers : triggers.slice(0, end);
}
