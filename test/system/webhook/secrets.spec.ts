import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../../egress/exchange.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { newUser, record, triggerWhen } from '../../support/scene.js';
import type { CallOptions } from '../../support/service.js';
import { misplaced } from '../database/misplaced.js';
import { production, type ServiceProcess, startProcessOn } from '../support/process.js';
import { findSecrets, type Place, type Secret } from './secret-search.js';
import { storedPlaces } from './stored.js';

const WEBHOOK = '/v1/webhook';
const newKey = () => `whk_${randomBytes(32).toString('base64url')}`;
const newSigningSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
/** Only letters and digits, so that no answer has to escape it. */
const newToken = () => randomBytes(24).toString('hex').toUpperCase();

/** Credentials that a receiver may require from its callers. */
const newCredentials = () => ({
  Authorization: `Bearer ${newToken()}`,
  'X-Api-Key': newToken(),
  Cookie: `session=${newToken()}`,
  'X-Auth-Token': newToken(),
  'My-Secret': newToken(),
  'X-Password': newToken(),
  'X-Hub-Signature': newToken(),
});

describe.each(databases)('the secrets of a whole run on $name', (kind) => {
  const adminKey = newKey();
  const encryptionKey = randomBytes(32).toString('base64');
  const ownSecret = newSigningSecret();
  const headers = newCredentials();
  const changed = newCredentials();
  const user = newUser();
  const secrets: Secret[] = [];
  const answers: Place[] = [];
  const stored: Place[] = [];
  const database = useDatabase(kind, 'block', 'migrated');
  const receiver = useReceiver();
  let service: ServiceProcess;

  const keep = (name: string, secret: string) => {
    secrets.push({ name, core: secret.replace(/^(whk_|whsec_|Bearer |session=)/, '') });
  };
  const store = async (when: string) => {
    for (const { name, bytes } of await storedPlaces(database.url))
      stored.push({ name: `${name}, ${when}`, bytes });
  };

  beforeAll(async () => {
    keep('the admin key', adminKey);
    keep('the encryption key', encryptionKey);
    keep('the signing secret given', ownSecret);
    for (const [name, value] of Object.entries(headers)) keep(`the first ${name}`, value);
    for (const [name, value] of Object.entries(changed)) keep(`the second ${name}`, value);
    receiver.respondWith('/fails', { status: 500, body: 'no' });
    service = await startProcessOn(database, {
      ...production,
      ENCRYPTION_KEYS: `k1:${encryptionKey}`,
      BOOTSTRAP_API_KEY: adminKey,
      LOG_LEVEL: 'trace',
      RETRY_SCHEDULE_SECONDS: '3600',
      UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '0',
    });
    await useEverything();
    await store('while it ran');
    await service.end('SIGTERM');
    await store('after it ended');
  });

  /** Calls and keeps the answer. @param shown the field in which the contract shows a secret; it is left out. */
  async function call(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
    shown?: 'secret' | 'key',
  ) {
    const answer = await service.call(method, path, body, { key: adminKey, ...options });
    const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    const secret: string | undefined = shown && answer.body[shown];
    if (shown) expect(secret).toMatch(/^wh(k|sec)_/);
    const text = secret ? answer.text.replace(JSON.stringify(secret), '""') : answer.text;
    const name = `answer ${answers.length} (${answer.status} to ${method} ${path.split('?')[0]})`;
    answers.push({ name, bytes: Buffer.from(`${head}\n${text}`) });
    return answer;
  }

  async function useEverything() {
    const apiKey = await makeKeys();
    const webhooks = await makeWebhooks(apiKey);
    // Later changes remove values from a table, though not from a file.
    await store('at first');
    await deliver(webhooks);
    await misplace(apiKey, webhooks[0] as string);
    await putAway(apiKey, webhooks);
  }

  async function makeKeys(): Promise<string> {
    const scopes = ['webhooks:read', 'webhooks:write', 'notifications:write'];
    const { body } = await call('POST', '/v1/api-key', { user_id: user, scopes, name: 'CRM' }, {}, 'key');
    keep('the API key', body.key);
    await call('GET', '/v1/api-key/list');
    return body.key;
  }

  /** One webhook whose receiver works, one whose receiver fails, one without a receiver, and one with a given secret. */
  async function makeWebhooks(key: string): Promise<string[]> {
    const ids: string[] = [];
    for (const url of [`${receiver.url}/ok`, `${receiver.url}/fails`, 'http://127.0.0.1:1024/']) {
      const body = { name: 'CRM sync', url, headers, events: ['RECORD_FINISHED'] };
      const options = { key, headers: { 'idempotency-key': url } };
      const { body: made } = await call('POST', WEBHOOK, body, options, 'secret');
      await call('POST', WEBHOOK, body, options, 'secret');
      keep(`the signing secret of ${new URL(url).pathname}`, made.secret);
      ids.push(made.id);
    }
    const moved = { name: 'moved', url: `${receiver.url}/moved`, headers, secret: ownSecret };
    const { body } = await call('POST', WEBHOOK, moved, { key }, 'secret');
    await call('GET', `${WEBHOOK}/secret?id=${body.id}`, undefined, { key }, 'secret');
    return [...ids, body.id];
  }

  async function deliver(webhooks: string[]): Promise<void> {
    await notifyAll(3);
    await call('POST', `${WEBHOOK}/test`, { id: webhooks[3] });
    await receiver.waitFor(3);
    for (const id of webhooks) {
      const masked = Object.fromEntries(Object.keys(headers).map((name) => [name, '********']));
      await call('PATCH', WEBHOOK, { id, headers: masked });
      await call('PATCH', WEBHOOK, { id, headers: changed, description: 'changed' });
      const rotated = await call('POST', `${WEBHOOK}/secret/rotate`, { id }, {}, 'secret');
      keep('a signing secret rotated in', rotated.body.secret);
    }
    await notifyAll(3);
    await receiver.waitFor(5);
  }

  /** Notifies, and waits until each trigger has an attempt with a stored result. */
  async function notifyAll(count: number): Promise<void> {
    const report = { event_kind: 'RECORD_FINISHED', user_id: user, record };
    const { body } = await call('POST', '/v1/notification', report);
    expect(body.triggers).toHaveLength(count);
    for (const { id } of body.triggers) await triggerWhen({ call }, id, (found) => found.attempts[0]?.end);
    for (const query of ['?include=data', '?include=data&status=PENDING'])
      await call('GET', `${WEBHOOK}/trigger/list${query}`);
  }

  async function misplace(key: string, id: string): Promise<void> {
    for (const secret of [key, adminKey, ownSecret, ...Object.values(headers)]) {
      for (const [method, path, body, options] of misplaced(secret, id)) {
        const { status } = await call(method, path, body, options);
        const called = `${method} ${path.split('?')[0]}`;
        expect(`${called} ${Math.floor(status / 100)}`).toBe(`${called} 4`);
      }
      const broken = `GET /v1/webhook/list HTTP/1.1\r\nAuthorization: Bearer ${secret}\r\nX Blank: ${secret}\r\n\r\n`;
      const answer = await exchange(service.url, broken);
      answers.push({ name: 'the answer to no HTTP', bytes: Buffer.from(answer) });
      // The answer repeats the requested path, so it is not searched; the log and the database are.
      await service.call('GET', `/v1/${encodeURIComponent(secret)}`, undefined, { key: null });
    }
  }

  async function putAway(key: string, webhooks: string[]): Promise<void> {
    for (const path of ['/metrics', '/docs/openapi.json', '/health/ready', '/health/live'])
      await call('GET', path, undefined, { key: null });
    await call('GET', `${WEBHOOK}/list`, undefined, { key });
    await call('PATCH', WEBHOOK, { id: webhooks[1], enabled: false });
    await call('DELETE', `${WEBHOOK}?id=${webhooks[0]}`);
    const { body } = await call('GET', `/v1/api-key/list?user_id=${user}`);
    await call('DELETE', `/v1/api-key?id=${body.data[0].id}`);
    expect((await call('GET', `${WEBHOOK}/list`, undefined, { key })).status).toBe(401);
  }

  it('are sent to the receiver if they are headers of its webhook', () => {
    const sent = receiver.requests.map(({ headers: all }) => ({
      name: 'a request',
      bytes: Buffer.from(JSON.stringify(all)),
    }));
    const [first, second] = [sent.slice(0, 1), sent.slice(-1)];
    const named = (start: string) => secrets.filter(({ name }) => name.startsWith(start));
    expect(findSecrets(named('the first'), first)).toHaveLength(Object.keys(headers).length);
    expect(findSecrets(named('the second'), second)).toHaveLength(Object.keys(changed).length);
  });

  it('are in no answer except where the contract shows them', () => {
    expect(answers.length).toBeGreaterThan(100);
    expect(findSecrets(secrets, answers)).toEqual([]);
  });

  it('are not in the log, even at level trace', () => {
    const lines = service.output.trim().split('\n');
    expect(lines.filter((line) => JSON.parse(line).level <= 20).length).toBeGreaterThan(2);
    expect(findSecrets(secrets, [{ name: 'the log', bytes: Buffer.from(service.output) }])).toEqual([]);
  });

  it('cannot be read in the database', () => {
    // Proves that the search works: both copies contain a value that is not secret.
    const found = findSecrets([{ name: 'a URL', core: `${receiver.url}/moved` }], stored).join();
    expect(found).toContain('while it ran');
    expect(found).toContain('after it ended');
    expect(findSecrets(secrets, stored)).toEqual([]);
  });
});
