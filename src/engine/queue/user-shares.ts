/** The share of all slots and room that one user may have. The rest is kept for other users. */
export const USER_SHARE = 0.75;

/** The user to whom triggers of a disabled or deleted webhook are counted. They are cancelled when their turn comes. */
export const NOBODY = '';

interface Share {
  sending: number;
  /** Webhooks that may send now, least recently served first. */
  ready: Set<string>;
}

/** Shares slots (attempts under way) among users, who are served in turn. */
export class UserShares {
  private readonly shares = new Map<string, Share>();
  /** Users with a ready webhook, least recently served first. */
  private readonly turn = new Set<string>();
  private readonly sendingPerUser: number;
  private sendingCount = 0;

  constructor(private readonly maxSending: number) {
    this.sendingPerUser = Math.max(1, Math.floor(maxSending * USER_SHARE));
  }

  get sending(): number {
    return this.sendingCount;
  }

  setReady(userId: string, webhookId: string, isReady: boolean): void {
    // Asked several times for each delivery, and seldom news.
    if ((this.shares.get(userId)?.ready.has(webhookId) ?? false) === isReady) return;
    const share = this.shareOf(userId);
    if (isReady) share.ready.add(webhookId);
    else share.ready.delete(webhookId);
    this.refresh(userId, share);
  }

  /** Takes a slot for the webhook whose turn it is. */
  next(): string | undefined {
    if (this.sendingCount >= this.maxSending) return undefined;
    const [userId] = this.turn;
    if (userId === undefined) return undefined;
    const share = this.shareOf(userId);
    const [webhookId] = share.ready;
    if (webhookId === undefined) throw new Error('A user without a webhook to serve has a turn.');
    toEnd(share.ready, webhookId);
    share.sending++;
    this.sendingCount++;
    toEnd(this.turn, userId);
    this.refresh(userId, share);
    return webhookId;
  }

  /** Gives a slot back. */
  sent(userId: string): void {
    const share = this.shareOf(userId);
    share.sending--;
    this.sendingCount--;
    this.refresh(userId, share);
  }

  private shareOf(userId: string): Share {
    let share = this.shares.get(userId);
    if (!share) {
      share = { sending: 0, ready: new Set() };
      this.shares.set(userId, share);
    }
    return share;
  }

  private refresh(userId: string, share: Share): void {
    if (share.ready.size > 0 && share.sending < this.sendingPerUser) this.turn.add(userId);
    else this.turn.delete(userId);
    if (share.sending === 0 && share.ready.size === 0) this.shares.delete(userId);
  }
}

/** Each move costs a set a place until it is rebuilt, so one that is alone stays. */
function toEnd(set: Set<string>, first: string): void {
  if (set.size === 1) return;
  set.delete(first);
  set.add(first);
}
