/**
 * How long a test waits for what has to come. A bound for what hangs, not a promise, and longer on a slow machine. Whole milliseconds,
 * as `AbortSignal.timeout` refuses others.
 */
export const PATIENCE_MS = Math.ceil(
  Number(process.env.TEST_PATIENCE_MS ?? 60_000 * Number(process.env.TEST_SLOWNESS)),
);

interface Waiting {
  withinMs?: number;
  everyMs?: number;
  /** What is waited for, in the message if it does not come; a function tells how far it has come. */
  what?: string | (() => string);
}

/** Waits for a condition, up to a limit. Resolves with the first value that is not undefined, null or false. */
export async function until<T>(
  look: () => Promise<T> | T,
  { withinMs = PATIENCE_MS, everyMs = 10, what = 'the condition' }: Waiting = {},
): Promise<NonNullable<T>> {
  const end = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end)
      throw new Error(`${typeof what === 'string' ? what : what()} did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
