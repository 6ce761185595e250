type MayBePatched = { toJSON?: unknown };

/** Prototypes of which JSON asks for a `toJSON`, and finds none unless an application has given them one. */
const ALL = [Array.prototype, BigInt.prototype, Map.prototype, Set.prototype] as MayBePatched[];
const ARRAYS = [Array.prototype] as MayBePatched[];

/**
 * Writes JSON of ours. Applications give built-in prototypes a `toJSON`, as is often advised for `BigInt`: that changes nothing that
 * is stored, compared, signed or sent.
 *
 * @throws TypeError for a bigint or a cycle
 */
export const writeJson = (value: unknown): string => write(value, ALL);

/**
 * Writes what an application gives: what stands for a `Date` or a `BigInt` in JSON is up to it, but arrays stay arrays.
 *
 * @returns undefined for what JSON has not, such as a function
 * @throws TypeError for a bigint that nobody writes, or a cycle
 */
export const writeGiven = (value: unknown): string | undefined => write(value, ARRAYS);

const write = (value: unknown, bare: MayBePatched[]): string =>
  bare.some(({ toJSON }) => toJSON !== undefined)
    ? writeMapped(value, (item) => item, bare)
    : JSON.stringify(value);

/** Writes as {@link writeJson} does, with each value replaced as by a replacer of `JSON.stringify`. */
export function writeMapped(value: unknown, map: (item: unknown) => unknown, bare = ALL): string {
  const patches = bare.map(({ toJSON }) => toJSON).filter((toJSON) => toJSON !== undefined);
  return JSON.stringify(value, function (this: Record<string, unknown>, name, written: unknown) {
    const item = this[name];
    return map(patches.includes((item as MayBePatched | null)?.toJSON as never) ? item : written);
  });
}
