/** The usual limit of each final step of a shutdown, which would otherwise hang on a silent database. */
const STOP_MS = 500;

/** Resolves when the work has succeeded or failed, or when the time is up, so that whoever waits always goes on. */
export async function settledInTime(work: Promise<unknown>, withinMs = STOP_MS): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, withinMs);
  });
  await Promise.race([work.catch(() => undefined), tooLong]);
  clearTimeout(timer);
}
