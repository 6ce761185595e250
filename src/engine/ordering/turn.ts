/** A line, as far as it matters for the turn. */
export interface LineStanding {
  line: string;
  /** The trigger with the lowest place; null if none stands in it. */
  first: string | null;
  /** The trigger whose turn it is; null if it is nobody's. */
  holder: {
    triggerId: string;
    /** `ended`: delivered, failed, cancelled or gone. `held`: it waits, without being due. */
    state: 'ended' | 'held' | 'due' | 'sending';
  } | null;
}

/** How the turn changes hands. */
export interface Handover {
  line: string;
  /** Who gets it; null for nobody. */
  to: string | null;
  /** Who has it, waits, and is not to be sent before its turn is its own again; null if it is nobody's, or of one that has ended. */
  takenFrom: string | null;
}

/**
 * The rule of a line: the turn is the first one's. If another has it, because the first has come late or is retried by hand,
 * it is taken away, unless an attempt of that one is under way.
 *
 * @returns null if the turn is where it belongs, or cannot be given yet.
 */
export function handoverOf({ line, first, holder }: LineStanding): Handover | null {
  if (holder === null) return { line, to: first, takenFrom: null };
  const { triggerId, state } = holder;
  if (triggerId === first || state === 'sending') return null;
  return { line, to: first, takenFrom: state === 'ended' ? null : triggerId };
}
