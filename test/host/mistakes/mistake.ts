/** A mistake that a user of the module makes, and what the error says. */
export interface Mistake {
  /** A sentence about what the user did, such as "passes postgres:// to webhookDatabase". */
  title: string;
  /** Makes the mistake. It has to throw or reject. */
  make: () => unknown;
  /** What the message must say; it names the way out. */
  says: RegExp;
}
