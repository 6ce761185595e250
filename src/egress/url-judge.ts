import type { EgressConfig } from '../config/settings.js';
import { judgeUrl } from './address-policy.js';
import { BlockedAddressError } from './attempt-failure.js';
import type { Connector } from './connector.js';

/** Judges where a webhook may point, when it is saved. Delivery judges again, on every connect. */
export interface UrlJudge {
  /** @returns the error in the URL as written, for its owner; null if there is none. */
  faultOfForm(url: string): string | null;
  /** @returns the error in the addresses that it resolves to now; null if there is none, or it does not resolve. */
  faultOfAddresses(url: string): Promise<string | null>;
}

/** Injection token of the {@link UrlJudge}. */
export const URL_JUDGE = Symbol('URL_JUDGE');

/**
 * Judges a webhook's URL by the same policy as connections to it. A name that does not resolve passes; it is judged
 * again on connect.
 */
export class PolicyUrlJudge implements UrlJudge {
  constructor(
    private readonly egress: EgressConfig,
    private readonly connector: Connector,
  ) {}

  faultOfForm(url: string): string | null {
    const verdict = judgeUrl(url, this.egress);
    return verdict.ok ? null : verdict.message;
  }

  async faultOfAddresses(text: string): Promise<string | null> {
    if (this.egress.allowPrivateNetwork) return null;
    const { protocol, hostname, port } = new URL(text);
    const target = {
      protocol: protocol as 'http:' | 'https:',
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
    };
    return this.connector.judgedAddresses(target).then(
      () => null,
      (error: unknown) => (error instanceof BlockedAddressError ? error.message : null),
    );
  }
}
