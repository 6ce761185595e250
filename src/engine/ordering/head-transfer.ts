/** A group, as far as it matters for who is its head. */
export interface GroupState {
  orderingKey: string;
  /** The trigger with the lowest position; null if the group is empty. */
  first: string | null;
  /** The one trigger of the group that may be sent; null if there is none. */
  head: {
    triggerId: string;
    /** `ended`: delivered, failed, cancelled or gone. `blocked`: it waits, without being due. */
    state: 'ended' | 'blocked' | 'due' | 'sending';
  } | null;
}

/** Who becomes the head of a group. */
export interface HeadTransfer {
  orderingKey: string;
  /** The trigger that becomes the head; null for none. */
  to: string | null;
  /** The head until now, if that waits: it is blocked until it is the head again. */
  blocked: string | null;
}

/**
 * The rule of a group: its first trigger is its head. If another one is, because the first has come late or is retried by hand,
 * that one is blocked, unless an attempt of it is under way.
 *
 * @returns null if the head is the right one, or cannot be changed yet.
 */
export function headTransferOf({ orderingKey, first, head }: GroupState): HeadTransfer | null {
  if (head === null) return { orderingKey, to: first, blocked: null };
  const { triggerId, state } = head;
  if (triggerId === first || state === 'sending') return null;
  return { orderingKey, to: first, blocked: state === 'ended' ? null : triggerId };
}
