export const SCOPES = ['webhooks:read', 'webhooks:write', 'notifications:write', 'admin'] as const;
/** A permission of a caller. No scope implies another, except `admin`: all scopes, for every user. */
export type Scope = (typeof SCOPES)[number];
