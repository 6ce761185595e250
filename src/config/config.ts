import type { VaultKey } from '../common/vault.js';

/** Settings of the service, read from the environment once, at boot. */
export interface Config {
  /** `production` refuses development defaults; `test` behaves as `development`. */
  environment: 'development' | 'test' | 'production';
  host: string;
  port: number;
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  /** Whether `/docs` is there. */
  docs: boolean;
  /** Whether `/metrics` is there. */
  metrics: boolean;
  /** CIDR blocks of reverse proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: string[];
  /** `sqlite:PATH` or `mysql://user:pass@host:port/database`. */
  databaseUrl: string;
  bootstrapApiKey: string | null;
  /** The first encrypts, all decrypt. Null where unset: development then makes a key file of its own. */
  encryptionKeys: VaultKey[] | null;
  /** Management calls a minute and API key; 0 is no limit. */
  rateLimitPerMinute: number;
  /** Notifications a minute and API key; 0 is no limit. */
  notificationRateLimitPerMinute: number;
  /** Calls a minute and client address that are answered 401; 0 is no limit. */
  unauthenticatedRateLimitPerMinute: number;
  webhooksPerUser: number;
  egress: EgressConfig;
  /** `api` accepts and does not send, `worker` sends and has no API. */
  role: Role;
  delivery: DeliveryConfig;
}

export type Role = 'both' | 'api' | 'worker';

/** Where a webhook may point. */
export interface EgressConfig {
  /** False: `https` only. */
  allowHttp: boolean;
  /** True lifts the address policy. */
  allowPrivateNetwork: boolean;
  /** CIDR blocks that the address policy lets through. */
  allowedNetworks: string[];
  /** An HTTP proxy that makes every connection to a receiver, and then decides where they may go; null for none. */
  proxy: string | null;
}

/** How deliveries are made. */
export interface DeliveryConfig {
  transport: 'undici' | 'axios';
  /** Deadline of one attempt, from DNS to the last byte, in milliseconds. */
  timeoutMs: number;
  /** Pauses before the second, third … attempt, in milliseconds, before jitter. */
  retryScheduleMs: number[];
  /** Attempts under way at once, in this process. */
  concurrency: number;
  /** Attempts under way at once to one webhook, in this process. */
  webhookConcurrency: number;
  /**
   * Whether deliveries leave most of the event loop to what else the process does: in small steps, with pauses. It costs
   * speed, of which there is then enough for some 1,500 attempts a second.
   */
  gentle: boolean;
  /** After so many milliseconds without a heartbeat an instance is dead and its triggers are due again (MySQL/MariaDB). */
  instanceTimeoutMs: number;
}
