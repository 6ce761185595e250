/** Limits each final step of a shutdown, which would otherwise hang on a silent database. */
const STOP_MS = 500;

/** Resolves when the work has succeeded or failed, or after 500 ms, so that a shutdown always goes on. */
export async function settledInTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STOP_MS);
  });
  await Promise.race([work.catch(() => undefined), tooLong]);
  clearTimeout(timer);
}
