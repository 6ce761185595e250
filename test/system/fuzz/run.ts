import fc from 'fast-check';

/** To repeat a run: `FUZZ_SEED=… npm run test:system -- test/system/fuzz`. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const MAX_BATCH = 100;
/** Time limit for all batches, including shrinking a failure. */
const MAX_MS = 200_000;
const MAX_SHOWN = 3000;

/**
 * Runs `attack` on batches of values from `one`, about `count` in all.
 *
 * @param attack resolves with a description of the fault, including request and response; null if there is none.
 * @throws with the fault of the smallest failing batch and the seed that reproduces it.
 */
export async function attackWith<T>(
  one: fc.Arbitrary<T>,
  count: number,
  attack: (batch: T[]) => Promise<string | null>,
): Promise<void> {
  const batch = fc.array(one, { maxLength: MAX_BATCH, size: 'max' });
  const property = fc.asyncProperty(batch, async (values) => {
    const fault = await attack(values);
    if (fault) throw new Error(fault);
  });
  const { failed, errorInstance } = await fc.check(property, {
    seed: SEED,
    numRuns: Math.ceil(count / (MAX_BATCH / 2)),
    interruptAfterTimeLimit: MAX_MS,
    markInterruptAsFailure: true,
  });
  const cause = errorInstance instanceof Error ? errorInstance.message : `not all were sent in ${MAX_MS} ms`;
  if (failed) throw new Error(`FUZZ_SEED=${SEED}: ${cause}`);
}

/** Printable text for bytes, truncated if long. */
export function shown(bytes: Buffer | string): string {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1');
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} in all)` : text;
  return cut.replace(/[^\n\x20-\x7e…]/g, (one) =>
    one === '\r' ? '' : `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
