/** What a user of the module does, which has to throw or reject, and what the message must say to name the way out. */
export type Mistake = [does: string, make: () => unknown, says: RegExp];
