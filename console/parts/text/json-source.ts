/** A number as it was written: `12345678901234567890` is no JavaScript number. */
export class SourceNumber {
  constructor(readonly source: string) {}
}

/** Parses JSON for reading: numbers keep their digits where the browser can say them. Undefined if it is none. */
export function parseForReading(text: string): { value: unknown } | undefined {
  try {
    const reviver = (_key: string, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' && context?.source !== undefined ? new SourceNumber(context.source) : value;
    return { value: JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]) };
  } catch {
    return undefined;
  }
}
