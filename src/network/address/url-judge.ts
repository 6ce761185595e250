import { Logger } from '@nestjs/common';
import type { EgressConfig } from '../../platform/config/settings.js';
import { BlockedAddressError } from '../attempt-failure.js';
import type { Connector } from '../connector.js';
import { faultOfUrl, NOT_PUBLIC } from './address-policy.js';

/** Judges where a webhook may point, when it is saved. Delivery judges again, on every connect. */
export interface UrlJudge {
  /** @returns the error in the URL as written, for its owner; null if there is none. */
  faultOfForm(url: string): string | null;
  /** @returns the error in the addresses that it resolves to now; null if there is none, or it does not resolve. */
  faultOfAddresses(url: string): Promise<string | null>;
}

/** Injection token of the {@link UrlJudge}. */
export const URL_JUDGE = Symbol('URL_JUDGE');

/** At most one line in this time, in milliseconds: callers may try many addresses. */
const SAY_EVERY_MS = 10_000;

/**
 * Judges a webhook's URL by the same policy as connections to it. A name that does not resolve passes; it is judged
 * again on connect.
 */
export class PolicyUrlJudge implements UrlJudge {
  private readonly logger = new Logger('Egress');
  private saidAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly egress: EgressConfig,
    private readonly connector: Connector,
  ) {}

  faultOfForm(url: string): string | null {
    const fault = faultOfUrl(url, this.egress);
    return fault === null ? null : this.noted(fault);
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
      (error: unknown) => (error instanceof BlockedAddressError ? this.noted(error.message) : null),
    );
  }

  /** Says in the log how such an address is allowed. The caller, who may be anybody, only reads that it is not. */
  private noted(fault: string): string {
    const isLiftable = Object.values(NOT_PUBLIC).includes(fault);
    if (isLiftable && performance.now() - this.saidAt > SAY_EVERY_MS) {
      this.saidAt = performance.now();
      this.logger.warn(
        `A URL of a webhook was refused: ${fault} Allow such networks with the option egress.allowedNetworks, or all with ` +
          'egress.allowPrivateNetwork; the service by itself has the variables ALLOWED_NETWORKS and ALLOW_PRIVATE_NETWORK.',
      );
    }
    return fault;
  }
}
