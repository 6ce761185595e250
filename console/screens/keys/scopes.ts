import type { Scope } from '../../data/who.js';

export const SCOPES: readonly (readonly [Scope, string])[] = [
  ['webhooks:read', 'See webhooks, deliveries and notifications'],
  [
    'webhooks:write',
    'Create, change, test and delete webhooks, see their secrets, send again, recover, erase',
  ],
  ['notifications:write', 'Report events, for any user'],
  ['admin', 'All of it, for every user, and manage keys'],
];
