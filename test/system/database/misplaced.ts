import type { CallOptions } from '../../support/service.js';

type Call = [method: string, path: string, body?: unknown, options?: CallOptions];

const WEBHOOK = '/v1/webhook';
const LARGE = 300 * 1024;

/** Calls with a secret in the wrong place; each must be refused. @param id id of a webhook. */
export function misplaced(secret: string, id: string): Call[] {
  const post = (body: unknown, options: CallOptions = {}): Call => ['POST', WEBHOOK, body, options];
  const encoded = encodeURIComponent(secret);
  const url = 'http://127.0.0.1:1/';
  return [
    ['GET', `${WEBHOOK}/list`, undefined, { key: `${secret}x` }],
    ['GET', `${WEBHOOK}/list`, undefined, { key: null, headers: { authorization: `Basic ${secret}` } }],
    ['GET', `${WEBHOOK}?id=${encoded}`],
    ['DELETE', `${WEBHOOK}?id=${encoded}`],
    ['GET', `${WEBHOOK}/list?cursor=${encoded}`],
    ['GET', `${WEBHOOK}/list?api_key=${encoded}`],
    ['GET', `${WEBHOOK}/list?name=${encoded}%zz`],
    post({ name: 7, url: secret, secret: `${secret}x`, headers: { 'X-A': `${secret}\n` } }),
    post({ name: 'x', url: `http://${secret}@h/`, enabled: secret, events: [secret] }),
    post({ name: 'x', url, headers: { Authorization: `${secret}\u00e9` }, unknown: secret }),
    post({ name: 'x' }, { headers: { 'idempotency-key': `${secret}\u00e9` } }),
    post({ name: secret.padEnd(LARGE, 'x') }),
    post({ id: secret }),
    post(undefined, { raw: `{"secret":"${secret}",}` }),
    // A parser's error message could quote the secret.
    post(undefined, { raw: `{"secret": ${secret}}` }),
    post(undefined, { raw: `"${secret}"`, headers: { 'content-type': 'text/plain' } }),
    ['PATCH', WEBHOOK, { id, headers: { Host: secret } }],
    ['POST', '/v1/notification', { event_kind: secret, user_id: ` ${secret}`, record: secret }],
    ['POST', '/v1/api-key', { user_id: 'x', scopes: [secret] }],
  ];
}
