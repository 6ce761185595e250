import { ADMIN_KEY } from '../../support/call.js';
import { ENCRYPTION_KEYS } from '../../support/process.js';

const isShort = process.env.TORTURE === 'short';

/** The first for the whole suite, the second for the short form that runs on every change. */
export const whole = <T>(long: T, short: T): T => (isShort ? short : long);

/** Webhooks of the one user for whom notifications are reported; each of them gets all. */
export const PATHS = ['/a', '/b', '/c', '/d', '/e', '/f'];

/** Attempts under way at once, in each process; {@link PATHS} times `WEBHOOK_CONCURRENCY` is more. */
export const CONCURRENCY = 256;
/** One user, as there is here, has three quarters of the slots at the most. */
const USER_SHARE = 0.75;

export const SERVICE_ENV = {
  BOOTSTRAP_API_KEY: ADMIN_KEY,
  ENCRYPTION_KEYS,
  LOG_LEVEL: 'warn',
  DELIVERY_CONCURRENCY: String(Math.ceil(CONCURRENCY / USER_SHARE)),
  WEBHOOK_CONCURRENCY: '50',
  INSTANCE_TIMEOUT_SECONDS: '3',
};
