import { clientTls, pem } from '../certs/pem.js';

export const BASIC = { type: 'basic', username: 'ada', password: 's3cret-pass' };
export const BEARER = { type: 'bearer', token: 's3cret-token' };
export const OAUTH2 = {
  type: 'oauth2',
  token_url: 'http://127.0.0.1:31151/token',
  client_id: 'webhooks',
  client_secret: 's3cret-client',
};
export const FULL_OAUTH2 = { ...OAUTH2, scope: 'hooks.write more', audience: 'https://crm.example.com' };
export const HTTPS = 'https://127.0.0.1:31151/hooks';
export const TLS = { ...clientTls('client'), ca: pem('authority.cert') };
