import type { FieldError } from '../../platform/problem.js';
import { MASK, NOTHING_STORED } from './headers.js';

/** A user name and a password, sent with each request (RFC 7617). */
export interface BasicAuthentication {
  type: 'basic';
  /** 1 to 256 characters, without a colon. */
  username: string;
  /** At most 1024 characters; answered as `********`. */
  password: string;
}

/** A token that is sent with each request (RFC 6750). */
export interface BearerAuthentication {
  type: 'bearer';
  /** 1 to 4096 visible ASCII characters; answered as `********`. */
  token: string;
}

/** Access tokens that the service gets for itself: client credentials of OAuth 2.0 (RFC 6749, 4.4). */
export interface OAuth2Authentication {
  type: 'oauth2';
  /** The URL of the token endpoint. The same rules hold for it as for a webhook's URL. */
  tokenUrl: string;
  /** 1 to 512 ASCII characters. */
  clientId: string;
  /** 1 to 4096 ASCII characters; answered as `********`. */
  clientSecret: string;
  /** What the tokens are to be good for: words with a blank between them. Null leaves it to the token endpoint. */
  scope: string | null;
  /** Whom the tokens are for, where the token endpoint wants to know. */
  audience: string | null;
}

/** How the service proves to a receiver who it is. */
export type WebhookAuthentication = BasicAuthentication | BearerAuthentication | OAuth2Authentication;

type Optional<T, Name extends keyof T> = Omit<T, Name> & { [Key in Name]?: T[Key] | undefined };

/** What a caller gives: null may be left out. */
export type WebhookAuthenticationInput =
  | BasicAuthentication
  | BearerAuthentication
  | Optional<OAuth2Authentication, 'scope' | 'audience'>;

/** With the name of its field in the REST API. */
interface Secret {
  field: string;
  value: string;
}

/** The part of it that is a secret. */
export function secretOf(authentication: WebhookAuthentication): Secret {
  switch (authentication.type) {
    case 'basic':
      return { field: 'password', value: authentication.password };
    case 'bearer':
      return { field: 'token', value: authentication.token };
    case 'oauth2':
      return { field: 'client_secret', value: authentication.clientSecret };
  }
}

const withSecret = (authentication: WebhookAuthentication, secret: string): WebhookAuthentication => {
  switch (authentication.type) {
    case 'basic':
      return { ...authentication, password: secret };
    case 'bearer':
      return { ...authentication, token: secret };
    case 'oauth2':
      return { ...authentication, clientSecret: secret };
  }
};

/** The authentication as it is answered: its secret masked. */
export const maskedAuthentication = (authentication: WebhookAuthentication | null) =>
  authentication && withSecret(authentication, MASK);

/** JSON pointer of the secret. */
export const secretPointer = (authentication: WebhookAuthentication) =>
  `/authentication/${secretOf(authentication).field}`;

/** Whether the secret is a mask, which stands for the stored one. */
export const isMasked = (authentication: WebhookAuthentication) => secretOf(authentication).value === MASK;

/** Puts the stored secret where a mask was sent back, or names the mask that stands for nothing. */
export function unmaskedAuthentication(
  given: WebhookAuthentication | null,
  stored: WebhookAuthentication | null,
): { authentication: WebhookAuthentication | null; errors: FieldError[] } {
  if (given === null || !isMasked(given)) return { authentication: given, errors: [] };
  if (stored?.type === given.type)
    return { authentication: withSecret(given, secretOf(stored).value), errors: [] };
  return { authentication: given, errors: [{ pointer: secretPointer(given), message: NOTHING_STORED }] };
}
