import { ADMIN_KEY } from '../../support/call.js';
import { ENCRYPTION_KEYS } from '../../system/support/process.js';

/** Paths of the webhooks. All belong to the one user that is notified, so each gets every notification. */
export const PATHS = ['/a', '/b', '/c', '/d', '/e', '/f'];

/** Maximum attempts in flight per process. {@link PATHS} times `WEBHOOK_CONCURRENCY` allows more. */
export const CONCURRENCY = 256;
/** A single user, as here, gets at most three quarters of the slots. */
const USER_SHARE = 0.75;

export const SERVICE_ENV = {
  BOOTSTRAP_API_KEY: ADMIN_KEY,
  ENCRYPTION_KEYS,
  LOG_LEVEL: 'warn',
  DELIVERY_CONCURRENCY: String(Math.ceil(CONCURRENCY / USER_SHARE)),
  WEBHOOK_CONCURRENCY: '50',
  INSTANCE_TIMEOUT_SECONDS: '3',
};
