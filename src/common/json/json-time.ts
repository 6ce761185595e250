/** RFC 3339, UTC, milliseconds. */
export const toDateTime = (time: number) => new Date(time).toISOString();
