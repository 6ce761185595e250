/** What this thread has computed, in milliseconds. */
const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

async function computed(work: () => unknown): Promise<number> {
  const begin = cpuMs();
  await work();
  return cpuMs() - begin;
}

/** The longest time for which `work` held up the event loop, in CPU milliseconds, as other processes share the CPU. */
async function longestBlock(work: () => unknown): Promise<number> {
  let longest = 0;
  let last = cpuMs();
  let running = true;
  const look = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(look);
  };
  setImmediate(look);
  await work();
  running = false;
  look();
  return longest;
}

const TRIES = 5;
/** Measured where a run begins (../../support/run/slowness.mjs). */
export const SLOWNESS = Number(process.env.TEST_SLOWNESS);

/**
 * The least of several tries, as one may hold a collection of others' garbage, or the compiling of code, in CPU milliseconds of the
 * reference machine.
 *
 * @param measure what is measured, in CPU milliseconds of this one.
 */
async function least(measure: () => Promise<number>, boundMs: number): Promise<number> {
  let found = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES && found >= boundMs; n++) found = Math.min(found, (await measure()) / SLOWNESS);
  return found;
}

/** What `work` computes, in CPU milliseconds of the reference machine. Tries again while it is not below the bound. */
export const leastCpuMs = (work: () => unknown, boundMs: number) => least(() => computed(work), boundMs);

/** For how long `work` holds up the event loop, likewise. */
export const leastBlockMs = (work: () => unknown, boundMs: number) =>
  least(() => longestBlock(work), boundMs);
