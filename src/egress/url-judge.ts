/** Judges where a webhook may point. What it judges at save, delivery judges again on every connect. */
export interface UrlJudge {
  /** What is wrong with the URL as it is written; null where nothing is. */
  faultOfForm(url: string): string | null;
  /** What is wrong with the addresses it resolves to now; null where nothing is, or where it does not resolve. */
  faultOfAddresses(url: string): Promise<string | null>;
}

/** Injection token of the {@link UrlJudge}. */
export const URL_JUDGE = Symbol('URL_JUDGE');
