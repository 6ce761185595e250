import type { EgressConfig } from '../config/config.js';
import type { UrlJudge } from '../webhook/url-judge.js';
import { judgeUrl } from './address-policy.js';
import { BlockedAddressError } from './attempt-failure.js';
import type { Connector } from './connector.js';

/** How long the save of a webhook waits for DNS, in milliseconds. What does not resolve by then is judged on connect. */
const RESOLVE_MS = 2000;

/** Judges a webhook's URL by the same policy as the connections to it. */
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
    const timeout = new Promise<null>((resolve) => setTimeout(resolve, RESOLVE_MS, null).unref());
    const judged = this.connector.judgedAddresses(target).then(
      () => null,
      (error: unknown) => (error instanceof BlockedAddressError ? error.message : null),
    );
    return Promise.race([judged, timeout]);
  }
}
