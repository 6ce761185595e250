const SECONDS = { s: 1, min: 60, m: 60, h: 3600, d: 86_400 } as const;

/** Reads `5 s, 5 min, 2 h`; a number alone is seconds. Undefined if some part is no time. */
export function parseSchedule(text: string): number[] | undefined {
  const parts = text.split(',').map((part) => /^\s*(\d+(?:\.\d+)?)\s*(s|min|m|h|d)?\s*$/i.exec(part));
  if (parts.some((part) => part === null)) return undefined;
  return parts.map((part) => {
    const unit = (part?.[2]?.toLowerCase() ?? 's') as keyof typeof SECONDS;
    return Number(part?.[1]) * SECONDS[unit];
  });
}
