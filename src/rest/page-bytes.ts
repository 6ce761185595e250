/** After so many bytes of what callers have stored a page ends. */
const MAX_PAGE_BYTES = 1024 * 1024;

/** How many rows of these sizes in bytes make a page: one at least. */
export function fitting(sizes: number[]): number {
  let sum = 0;
  const index = sizes.findIndex((bytes) => {
    sum += bytes;
    return sum > MAX_PAGE_BYTES;
  });
  return index < 0 ? sizes.length : Math.max(1, index);
}
