/** For each of the last steps of a shutdown: where the database is silent, it would have no end. */
const STOP_MS = 500;

/** Resolves when the work is done, or has failed, or takes too long: of the first it makes no difference to who goes. */
export async function settledInTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STOP_MS);
  });
  await Promise.race([work.catch(() => undefined), tooLong]);
  clearTimeout(timer);
}
