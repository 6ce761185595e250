/** Limits each of the last steps of a shutdown, which would hang on a silent database. */
const STOP_MS = 500;

/** Resolves when the work has succeeded or failed, or after 500 ms; a shutdown goes on in each case. */
export async function settledInTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STOP_MS);
  });
  await Promise.race([work.catch(() => undefined), tooLong]);
  clearTimeout(timer);
}
