/** Waits for a condition, up to a limit. Resolves with the first value that is not undefined, null or false. */
export async function until<T>(
  look: () => Promise<T> | T,
  { withinMs = 20_000, everyMs = 10, what = 'the condition' } = {},
): Promise<NonNullable<T>> {
  const end = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what} did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
