import type { Channel, ConsumeMessage } from 'amqplib';

/**
 * Acknowledges messages of a channel with few frames: all up to the first that is not done by one, and those behind it one by
 * one, so that a message that has to wait holds up no other.
 */
export class Acknowledgements {
  /** In the order of their delivery tags: whether each is done. Those that are acknowledged are gone. */
  private readonly open = new Map<ConsumeMessage, boolean>();
  private isPlanned = false;
  private done: ConsumeMessage[] = [];

  constructor(private readonly channel: Channel) {}

  /** How many messages are not acknowledged. */
  get size(): number {
    return this.open.size;
  }

  received(message: ConsumeMessage): void {
    this.open.set(message, false);
  }

  /** Acknowledges it at the end of this turn of the event loop. */
  finished(message: ConsumeMessage): void {
    this.open.set(message, true);
    this.done.push(message);
    if (this.isPlanned) return;
    this.isPlanned = true;
    setImmediate(() => this.flush());
  }

  /** Acknowledges what is done. */
  flush(): void {
    this.isPlanned = false;
    const { done } = this;
    this.done = [];
    let last: ConsumeMessage | undefined;
    for (const [message, isDone] of this.open) {
      if (!isDone) break;
      this.open.delete(message);
      last = message;
    }
    try {
      if (last) this.channel.ack(last, true);
      for (const message of done) if (this.open.delete(message)) this.channel.ack(message);
    } catch {
      // The channel is closed: the broker delivers them again.
    }
  }
}
