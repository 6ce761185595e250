let lastTime = Number.NaN;
let lastText = '';

/** RFC 3339, UTC, milliseconds. Remembers the last answer: under load, many calls ask for the same millisecond. */
export function toDateTime(time: number): string {
  if (time !== lastTime) {
    lastText = new Date(time).toISOString();
    lastTime = time;
  }
  return lastText;
}
