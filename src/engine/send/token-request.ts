import type { Exchange, OutgoingRequest, ReceivedResponse } from '../../network/transport/transport.js';
import type { OAuth2Authentication } from '../webhook/authentication.js';
import { COMMON_HEADERS } from './request-headers.js';

/** Where the client's credentials stand: every token endpoint has to take `header`, but some only take `body`. */
export type ClientStyle = 'header' | 'body';

/** A token and how long it may be used, or the reason why there is none: a sentence without any secret. */
export type TokenAnswer = { token: string; lifetimeMs: number } | { fault: string; refusesClient: boolean };

/** For a token that does not say when it expires. */
const DEFAULT_LIFETIME_MS = 5 * 60 * 1000;
const MAX_LIFETIME_MS = 24 * 60 * 60 * 1000;
/** Longer ones fit into no request: most servers take 8 KiB of headers. */
const MAX_TOKEN_LENGTH = 8 * 1024;
const TOKEN = /^[\x21-\x7e]+$/;

/** RFC 6749, 5.2. Other words are not repeated: they come from a stranger, who knows the secret. */
const ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
];

/** The request for a token (RFC 6749, 4.4.2). */
export function tokenRequest(client: OAuth2Authentication, style: ClientStyle): OutgoingRequest {
  const { tokenUrl, clientId, clientSecret, scope, audience } = client;
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== null) form.set('scope', scope);
  if (audience !== null) form.set('audience', audience);
  const headers: Record<string, string> = {
    ...COMMON_HEADERS,
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
  if (style === 'body') {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
  } else {
    const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return { url: new URL(tokenUrl), headers, body: Buffer.from(form.toString()) };
}

/** RFC 6749, 2.3.1. */
const formEncoded = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');

/** What an exchange with the token endpoint brought. */
export function readTokenAnswer({ response, error }: Exchange): TokenAnswer {
  if (response !== null)
    return Math.floor(response.status / 100) === 2 ? tokenIn(response) : refusal(response);
  if (error.code === 'timeout') return fault('The token endpoint did not answer in time.');
  return fault(`The token endpoint could not be asked: ${error.message}`);
}

const fault = (sentence: string, refusesClient = false): TokenAnswer => ({ fault: sentence, refusesClient });

function tokenIn({ body, truncated }: ReceivedResponse): TokenAnswer {
  if (truncated) return fault('The answer of the token endpoint is too large, or was cut off.');
  const answer = parsed(body);
  if (answer === null) return fault('The answer of the token endpoint is not a JSON object.');
  const { access_token: token, token_type: type, expires_in: expiresIn } = answer;
  if (typeof token !== 'string' || token === '')
    return fault('The answer of the token endpoint has no access_token.');
  if (token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token))
    return fault('The access_token of the token endpoint cannot be sent in a header.');
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    return fault('The token_type of the token endpoint is not Bearer.');
  return { token, lifetimeMs: lifetimeOf(expiresIn) };
}

function refusal({ status, body }: ReceivedResponse): TokenAnswer {
  if (status >= 300 && status < 400)
    return fault(`The token endpoint answered ${status}; redirects are not followed.`);
  const error = ERRORS.find((one) => one === parsed(body)?.error);
  const refusesClient = status === 401 || error === 'invalid_client';
  return fault(`The token endpoint answered ${status}${error ? ` (${error})` : ''}.`, refusesClient);
}

function parsed(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Some token endpoints write the number as a string. */
function lifetimeOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== 'number' || Number.isNaN(seconds)) return DEFAULT_LIFETIME_MS;
  return Math.min(Math.max(seconds, 0) * 1000, MAX_LIFETIME_MS);
}
