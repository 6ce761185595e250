/**
 * The name that was probably meant: it differs in case, in its end, or in a few letters.
 *
 * @returns undefined if no name is near.
 */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, distance: distanceOf(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.min(given.length, name.length) / 3))
    .sort((one, other) => one.distance - other.distance);
  return ranked[0]?.name;
}

/** Letters that one of the two has more at its end count as one. */
function distanceOf(one: string, other: string): number {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length > 2 && long.startsWith(short)) return long === short ? 0 : 1;
  return edits(one, other);
}

/** How many letters to insert, remove, replace or swap with their neighbour. */
function edits(one: string, other: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next[column] = Math.min(
        at(last, column) + 1,
        at(next, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, next];
  }
  return at(last, other.length);
}

const at = (row: number[] | undefined, column: number) => row?.[column] ?? Number.POSITIVE_INFINITY;
