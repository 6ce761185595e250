/** Judges where a webhook may point, when it is saved. Delivery judges again, on every connect. */
export interface UrlJudge {
  /** @returns the error in the URL as written, for its owner; null if there is none. */
  faultOfForm(url: string): string | null;
  /** @returns the error in the addresses that it resolves to now; null if there is none, or it does not resolve. */
  faultOfAddresses(url: string): Promise<string | null>;
}

/** Injection token of the {@link UrlJudge}. */
export const URL_JUDGE = Symbol('URL_JUDGE');
