import type { WebhookDto } from 'webhook-notification-service-client';

type Stored = WebhookDto['authentication'];

/** How the service proves to the receiver who it is, as it is typed. What another type needs stays typed. */
export interface TypedAuthentication {
  authType: 'none' | 'basic' | 'bearer' | 'oauth2';
  username: string;
  password: string;
  token: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  audience: string;
}

const NOTHING: TypedAuthentication = {
  authType: 'none',
  username: '',
  password: '',
  token: '',
  tokenUrl: '',
  clientId: '',
  clientSecret: '',
  scope: '',
  audience: '',
};

/** Secrets are shown by their mask: sent back, it keeps what is stored. */
export function typedAuthentication(stored: Stored): TypedAuthentication {
  if (stored === null) return NOTHING;
  const typed = { ...NOTHING, authType: stored.type };
  if (stored.type === 'basic') return { ...typed, username: stored.username, password: stored.password };
  if (stored.type === 'bearer') return { ...typed, token: stored.token };
  return {
    ...typed,
    tokenUrl: stored.token_url,
    clientId: stored.client_id,
    clientSecret: stored.client_secret,
    scope: stored.scope ?? '',
    audience: stored.audience ?? '',
  };
}

export function authenticationOf(typed: TypedAuthentication): object | null {
  switch (typed.authType) {
    case 'none':
      return null;
    case 'basic':
      return { type: 'basic', username: typed.username, password: typed.password };
    case 'bearer':
      return { type: 'bearer', token: typed.token.trim() };
    case 'oauth2':
      return {
        type: 'oauth2',
        token_url: typed.tokenUrl.trim(),
        client_id: typed.clientId.trim(),
        client_secret: typed.clientSecret,
        scope: typed.scope.trim() || null,
        audience: typed.audience.trim() || null,
      };
  }
}
