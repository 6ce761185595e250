import type { Config } from './config.js';

/** The part of the configuration that the module itself needs; a host application gives it in code. */
export type Settings = Pick<
  Config,
  | 'role'
  | 'egress'
  | 'delivery'
  | 'webhooksPerUser'
  | 'rateLimitPerMinute'
  | 'notificationRateLimitPerMinute'
  | 'unauthenticatedRateLimitPerMinute'
>;

/** Injection token of the {@link Settings}. */
export const SETTINGS = Symbol('SETTINGS');
