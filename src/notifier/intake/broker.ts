/** Takes messages from a broker and hands each to the message taker. A broker has a folder, which implements this. */
export interface Broker {
  /** Whether messages come. */
  readonly isConsuming: boolean;
  /** Takes messages, over all interruptions. Resolves when the intake has stopped. */
  run(): Promise<void>;
  /** Gives all messages back to the broker, which delivers them again. @param reason for the log. */
  giveBack(reason: string): void;
  /** Takes no more messages. Resolves when those under way are done, or within seconds. */
  finish(): Promise<void>;
}
