/** Cuts a list into parts of at most `most` together, or of a single one that is more. */
export function partsOf<T>(all: T[], sizeOf: (one: T) => number, most: number): T[][] {
  const parts: T[][] = [];
  let left = 0;
  for (const one of all) {
    const size = sizeOf(one);
    const last = parts.at(-1);
    if (last && size <= left) last.push(one);
    else {
      parts.push([one]);
      left = most;
    }
    left -= size;
  }
  return parts;
}
