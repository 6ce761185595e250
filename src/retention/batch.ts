/** A notification that may be past its retention. */
export interface Candidate {
  id: string;
  /** Null if there is no such notification, only triggers that name it. Epoch milliseconds. */
  triggeredAt: number | null;
  /** The size of its body, where that is cheap to know; otherwise 0. */
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

/** A notification that looks finished. */
export interface Ready {
  id: string;
  /** Whether there is such a notification, and not only triggers that name it. */
  exists: boolean;
  triggerIds: string[];
}

/** What one transaction takes on. */
export interface Batch {
  /** All that it deals with. What is not ready is passed over. */
  ids: string[];
  ready: Ready[];
  /** Whether it is a single notification, and more of its triggers follow. */
  isPart: boolean;
}

/**
 * Rows that one transaction may change: this bounds how long others wait for it, and how much room it needs on a full disk.
 * MariaDB would make a join of a list of a thousand ids, and may then lock a whole table.
 */
export const ROOM = 900;
/** A notification itself weighs as much as this many bytes. */
const BYTES_OF_A_ROW = 4096;

/**
 * Cuts the candidates to what one transaction can take.
 *
 * @param candidates in the order of their ids, at least one.
 * @param read their triggers, by notification and id; only the first of them if there are more than {@link ROOM}.
 * @param cutoff what was triggered later is not past its retention. Epoch milliseconds.
 */
export function batchOf(candidates: Candidate[], read: CandidateTrigger[], cutoff: number): Batch {
  const fitting = affordable(candidates, ({ bytes }) => 1 + bytes / BYTES_OF_A_ROW);
  const triggers = affordable(read, ({ attempts }) => 1 + attempts);
  const cut = fitting.findIndex(({ id }) => id === read[triggers.length]?.notificationId);
  const taken = cut < 0 ? fitting : fitting.slice(0, Math.max(1, cut));
  const byNotification = Map.groupBy(triggers, ({ notificationId }) => notificationId);
  const ready = taken.flatMap(({ id, triggeredAt }) => {
    const own = byNotification.get(id) ?? [];
    const isReady = (triggeredAt ?? 0) <= cutoff && !own.some(({ isOpen }) => isOpen);
    return isReady ? { id, exists: triggeredAt !== null, triggerIds: own.map((trigger) => trigger.id) } : [];
  });
  return { ids: taken.map(({ id }) => id), ready, isPart: cut === 0 };
}

/** The first of all that fit, at least one. */
function affordable<T>(all: T[], rowsOf: (one: T) => number): T[] {
  let left = ROOM;
  const end = all.findIndex((one, index) => {
    left -= rowsOf(one);
    return index > 0 && left < 0;
  });
  return end < 0 ? all : all.slice(0, end);
}
