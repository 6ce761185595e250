/**
 * What property tests begin with: the same in every run, as a result is to depend on the sources alone, or what TEST_SEED says.
 * `.ci/full` tries another one each time.
 */
export const SEED = Number(process.env.TEST_SEED ?? 1);
