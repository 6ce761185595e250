/** The smallest UUIDv7 of a millisecond. Ids begin with the time they were made and sort by it. */
export function firstIdOf(time: number): string {
  const hex = Math.max(0, Math.min(time, 2 ** 48 - 1))
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** When a UUIDv7 was made. Epoch milliseconds. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
