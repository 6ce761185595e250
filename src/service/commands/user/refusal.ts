/** How a command ends: something is in its way, it was called wrongly, or it has to be repeated later. */
export const EXIT = { refused: 1, usage: 2, later: 3 } as const;

/** What a command tells the operator instead of doing its work. The message names the way out. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly exitCode: (typeof EXIT)[keyof typeof EXIT] = EXIT.refused,
  ) {
    super(message);
  }
}
