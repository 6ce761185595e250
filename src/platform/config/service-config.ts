import { isIP } from 'node:net';
import type { z } from 'zod';
import { readDatabaseUrl } from './database-url.js';
import { readEncryptionKeys } from './encryption-keys.js';
import { bounded, flag, oneOf, parsed } from './fields.js';
import { networks, settings } from './settings.js';

const MAKE_API_KEY = `node -p "'whk_'+require('crypto').randomBytes(32).toString('base64url')"`;

function readHost(text: string): string {
  if (isIP(text) === 0 && !/^[a-z0-9_]([a-z0-9_.-]{0,252})$/i.test(text)) {
    throw new Error(
      'must be an IP address or a host name, without scheme, brackets and port, such as 0.0.0.0',
    );
  }
  return text;
}

function readApiKey(text: string): string {
  if (!/^whk_[A-Za-z0-9_-]{43}$/.test(text)) {
    throw new Error(`must be whk_ and 43 base64url characters; make one with: ${MAKE_API_KEY}`);
  }
  return text;
}

/** The settings of the service: those of the module, and those that only a process of its own needs. */
export const serviceConfig = settings.extend({
  /** `production` refuses development defaults; `test` behaves as `development`. */
  environment: oneOf(['development', 'test', 'production'], 'development'),
  host: parsed(readHost).default('127.0.0.1'),
  port: bounded(0, 65_535, 3000),
  logLevel: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
  /** Whether `/docs` is served. */
  docs: flag.default(true),
  /** Whether the console is served, at `/console`. */
  console: flag.default(true),
  /** Whether `/metrics` is served. */
  metrics: flag.default(true),
  /** CIDR blocks of reverse proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: networks,
  /** `sqlite:PATH` or `mysql://user:pass@host:port/database?options`. */
  databaseUrl: parsed(readDatabaseUrl).default('sqlite:./data/webhook.sqlite'),
  bootstrapApiKey: parsed(readApiKey).nullable().default(null),
  /** The first encrypts, all decrypt. Null where unset: outside production the service makes a key file of its own. */
  encryptionKeys: parsed((text) => readEncryptionKeys(text, 'ENCRYPTION_KEYS'))
    .nullable()
    .default(null),
});

/** Settings of the service, read from the environment once, at boot. */
export type ServiceConfig = z.infer<typeof serviceConfig>;
