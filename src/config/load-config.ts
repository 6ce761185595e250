import { isIP } from 'node:net';
import { z } from 'zod';
import { BOUNDS, MAX_PAUSE_SECONDS, MAX_PAUSES, RETRY_SCHEDULE_MS, split } from './bounds.js';
import type { Config } from './config.js';
import { MAKE_ENCRYPTION_KEY, readEncryptionKeys } from './encryption-keys.js';

const MAKE_API_KEY = `node -p "'whk_'+require('crypto').randomBytes(32).toString('base64url')"`;

/** Their values appear in no message. */
const SECRETS = new Set(['DATABASE_URL', 'BOOTSTRAP_API_KEY', 'ENCRYPTION_KEYS', 'EGRESS_PROXY']);

/** Thrown at boot: one line for each variable that is wrong, all of them at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: string[]) {
    super(['The configuration is not valid:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}

/** A text read by `read`, which throws what it must be. */
export const parsed = <T>(read: (text: string) => T) =>
  z.string().transform((text, context) => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

const integer = (min: number, max: number, fallback: number) =>
  parsed((text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : -1;
    if (value < min || value > max) {
      throw new Error(`must be a whole number from ${min} to ${max}; leave it unset for ${fallback}`);
    }
    return value;
  }).default(fallback);

const oneOf = <const T extends string>(values: readonly T[], fallback: NoInfer<T>) =>
  z
    .enum(values, { error: `must be one of ${values.join(', ')}; leave it unset for ${fallback}` })
    .default(fallback);

const flag = () =>
  z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], error: 'must be true or false' });

function readHost(text: string): string {
  if (isIP(text) === 0 && !/^[a-z0-9_]([a-z0-9_.-]{0,252})$/i.test(text)) {
    throw new Error(
      'must be an IP address or a host name, without scheme, brackets and port, such as 0.0.0.0',
    );
  }
  return text;
}

function readDatabaseUrl(text: string): string {
  const sqlite = /^sqlite:(.*)$/is.exec(text)?.[1];
  if (sqlite !== undefined) return `sqlite:${readSqlitePath(sqlite)}`;
  const [, scheme, rest] = /^(mysql|mariadb):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme === undefined) {
    throw new Error(
      'must be sqlite:PATH, such as sqlite:./data/webhook.sqlite, or mysql://user:password@host:3306/database',
    );
  }
  const url = `${scheme.toLowerCase()}://${rest}`;
  checkMysqlUrl(url);
  return url;
}

function readSqlitePath(path: string): string {
  if (path === '' || path.endsWith('/')) {
    throw new Error('has no database file; write sqlite:PATH, such as sqlite:./data/webhook.sqlite');
  }
  if (!path.startsWith('//')) return path;
  if (!path.startsWith('///')) {
    throw new Error('would lose the start of its path; write sqlite:PATH, without the two slashes');
  }
  return path.slice(2);
}

function checkMysqlUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const encoded = /%(?![0-9a-f]{2})/i.test(text) ? null : url;
  const path = encoded?.pathname.slice(1);
  if (!encoded?.hostname || /[/@]/.test(path ?? '')) {
    throw new Error(
      'must look like mysql://user:password@host:3306/database; write special characters of user and password percent-encoded',
    );
  }
  if (!path) {
    throw new Error('has no database name; write it last, as in mysql://user:password@host:3306/database');
  }
  // Ignoring an unknown option could mean a connection without the TLS that was asked for.
  if (encoded.search || encoded.hash) {
    throw new Error('must end with the database name: options after ? or # are not supported');
  }
}

function readApiKey(text: string): string {
  if (!/^whk_[A-Za-z0-9_-]{43}$/.test(text)) {
    throw new Error(`must be whk_ and 43 base64url characters; make one with: ${MAKE_API_KEY}`);
  }
  return text;
}

export function readNetworks(text: string): string[] {
  return split(text).map((entry, index) => {
    const [address = '', prefix, ...rest] = entry.split('/');
    const bits = address.includes('%') ? 0 : { 0: 0, 4: 32, 6: 128 }[isIP(address)];
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
    if (!bits || length === undefined || length < 0 || length > bits || rest.length > 0) {
      throw new Error(`entry ${index + 1} must be a network in CIDR form, such as 10.1.0.0/16 or fd00::/8`);
    }
    return `${address}/${length}`;
  });
}

export function readProxy(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.hostname && url.pathname === '/' && !url.search && !url.hash;
  if (url?.protocol !== 'http:' || !isPlain) {
    throw new Error(
      'must be an HTTP proxy, such as http://proxy.internal:3128 or http://user:password@proxy:3128',
    );
  }
  return url.href;
}

function readRetrySchedule(text: string): number[] {
  const entries = split(text);
  const seconds = entries.map((entry) => (/^\d{1,6}(\.\d{1,9})?$/.test(entry) ? Number(entry) : -1));
  if (seconds.length > MAX_PAUSES || seconds.some((pause) => pause < 0 || pause > MAX_PAUSE_SECONDS)) {
    throw new Error(
      `must be 1 to ${MAX_PAUSES} pauses in seconds, each from 0 to ${MAX_PAUSE_SECONDS}, separated by commas, such as 5,300,1800`,
    );
  }
  return seconds.map((pause) => Math.round(pause * 1000));
}

const variables = z.object({
  NODE_ENV: oneOf(['development', 'test', 'production'], 'development'),
  ROLE: oneOf(['both', 'api', 'worker'], 'both'),
  HOST: parsed(readHost).default('127.0.0.1'),
  PORT: integer(0, 65_535, 3000),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
  DOCS: flag().default(true),
  METRICS: flag().default(true),
  TRUSTED_PROXIES: parsed(readNetworks).default([]),
  DATABASE_URL: parsed(readDatabaseUrl).default('sqlite:./data/webhook.sqlite'),
  BOOTSTRAP_API_KEY: parsed(readApiKey).optional(),
  ENCRYPTION_KEYS: parsed(readEncryptionKeys).optional(),
  RATE_LIMIT_PER_MINUTE: integer(...BOUNDS.rateLimitPerMinute),
  NOTIFICATION_RATE_LIMIT_PER_MINUTE: integer(...BOUNDS.notificationRateLimitPerMinute),
  UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: integer(...BOUNDS.unauthenticatedRateLimitPerMinute),
  WEBHOOKS_PER_USER: integer(...BOUNDS.webhooksPerUser),
  ALLOW_HTTP: flag().default(true),
  ALLOW_PRIVATE_NETWORK: flag().optional(),
  ALLOWED_NETWORKS: parsed(readNetworks).default([]),
  EGRESS_PROXY: parsed(readProxy).optional(),
  DELIVERY_TRANSPORT: oneOf(['undici', 'axios'], 'undici'),
  DELIVERY_TIMEOUT_MS: integer(...BOUNDS.timeoutMs),
  RETRY_SCHEDULE_SECONDS: parsed(readRetrySchedule).default(RETRY_SCHEDULE_MS),
  DELIVERY_CONCURRENCY: integer(...BOUNDS.concurrency),
  WEBHOOK_CONCURRENCY: integer(...BOUNDS.webhookConcurrency),
  INSTANCE_TIMEOUT_SECONDS: integer(...BOUNDS.instanceTimeoutSeconds),
});

/** Every variable that is read, in the order of `.env.example`. */
export const CONFIG_VARIABLES = Object.keys(variables.shape);

/**
 * Reads the settings from the environment. An empty or blank value counts as unset.
 *
 * @throws ConfigError naming every variable that is wrong.
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(CONFIG_VARIABLES.map((name) => [name, env[name]?.trim() || undefined]));
  const result = variables.safeParse(given);
  const problems =
    result.error?.issues.map((issue) => describe(String(issue.path[0]), given, issue.message)) ?? [];
  if (given.NODE_ENV === 'production' && given.ENCRYPTION_KEYS === undefined) {
    problems.push(`ENCRYPTION_KEYS: is required in production; make one with: ${MAKE_ENCRYPTION_KEY}`);
  }
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  return toConfig(result.data);
}

function describe(name: string, given: Record<string, string | undefined>, message: string): string {
  return SECRETS.has(name)
    ? `${name}: ${message}`
    : `${name}=${JSON.stringify(given[name]?.slice(0, 80))}: ${message}`;
}

function toConfig(values: z.infer<typeof variables>): Config {
  return {
    environment: values.NODE_ENV,
    role: values.ROLE,
    host: values.HOST,
    port: values.PORT,
    logLevel: values.LOG_LEVEL,
    docs: values.DOCS,
    metrics: values.METRICS,
    trustedProxies: values.TRUSTED_PROXIES,
    databaseUrl: values.DATABASE_URL,
    bootstrapApiKey: values.BOOTSTRAP_API_KEY ?? null,
    encryptionKeys: values.ENCRYPTION_KEYS ?? null,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    notificationRateLimitPerMinute: values.NOTIFICATION_RATE_LIMIT_PER_MINUTE,
    unauthenticatedRateLimitPerMinute: values.UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE,
    webhooksPerUser: values.WEBHOOKS_PER_USER,
    egress: {
      allowHttp: values.ALLOW_HTTP,
      allowPrivateNetwork: values.ALLOW_PRIVATE_NETWORK ?? values.NODE_ENV !== 'production',
      allowedNetworks: values.ALLOWED_NETWORKS,
      proxy: values.EGRESS_PROXY ?? null,
    },
    delivery: {
      transport: values.DELIVERY_TRANSPORT,
      timeoutMs: values.DELIVERY_TIMEOUT_MS,
      retryScheduleMs: values.RETRY_SCHEDULE_SECONDS,
      concurrency: values.DELIVERY_CONCURRENCY,
      webhookConcurrency: values.WEBHOOK_CONCURRENCY,
      gentle: false,
      instanceTimeoutMs: values.INSTANCE_TIMEOUT_SECONDS * 1000,
    },
  };
}
