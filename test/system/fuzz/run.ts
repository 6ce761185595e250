import fc from 'fast-check';

/** To repeat a run: `FUZZ_SEED=… npm test -- fuzz`. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const MAX_BATCH = 100;
/** Time limit for one check, including shrinking a failure. */
const MAX_MS = 40_000;
const MAX_SHOWN = 3000;

/**
 * Runs `attack` on batches of values from `one` until at least `count` have been sent.
 *
 * @param attack resolves with a description of the fault, including request and response; null if there is none.
 * @throws with the fault of the smallest failing batch and the seed that reproduces it.
 */
export async function attackWith<T>(
  one: fc.Arbitrary<T>,
  count: number,
  attack: (batch: T[]) => Promise<string | null>,
): Promise<void> {
  let sent = 0;
  const property = fc.asyncProperty(fc.array(one, { maxLength: MAX_BATCH, size: 'max' }), async (batch) => {
    sent += batch.length;
    const fault = await attack(batch);
    if (fault) throw new Error(fault);
  });
  for (let seed = SEED; sent < count; seed++) {
    const details = await fc.check(property, { seed, numRuns: 10, interruptAfterTimeLimit: MAX_MS });
    const { errorInstance } = details;
    if (errorInstance instanceof Error) throw new Error(`FUZZ_SEED=${seed}: ${errorInstance.message}`);
    if (details.failed) throw new Error(`FUZZ_SEED=${seed}: ten batches took longer than ${MAX_MS} ms.`);
  }
}

/** Printable text for bytes, truncated if long. */
export function shown(bytes: Buffer | string): string {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1');
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} in all)` : text;
  return cut.replace(/[^\n\x20-\x7e…]/g, (one) =>
    one === '\r' ? '' : `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** Rejects after 5 s, the longest that a response may take. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Nothing came for 5 s.')), 5000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
