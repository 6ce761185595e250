import fc from 'fast-check';

/** One of these names, each as often as its weight says. */
export const weighted = <T extends string>(weights: Record<T, number>): fc.Arbitrary<T> =>
  fc.oneof(
    ...Object.entries<number>(weights).map(([name, weight]) => ({
      arbitrary: fc.constant(name as T),
      weight: weight * 10,
    })),
  );
