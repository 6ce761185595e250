import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { verify as verifyGithub } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { BASIC, BEARER, HTTPS, OAUTH2, TLS } from '../../support/authentication/credentials.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { useReceiver } from '../../support/fixture.js';
import type { ReceivedRequest as Sent } from '../../support/receiver.js';
import { finished, type Json, newUser, record } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { findSecrets } from '../webhook/secret-search.js';
import { receiptOf, refused, useMove } from './test-cell.js';

const OWN_SECRET = 'my-own-Secret!~of-long-ago';
const HEADERS = { 'X-Team': 'risk', 'X-Api-Key': 's3cret-header', Cookie: 'session=s3cret-cookie' };
const EVERYTHING = {
  enabled: true,
  description: 'All that can be set\nof a webhook: ✓',
  headers: HEADERS,
  uid: 'crm/main',
  metadata: { team: 'risk', note: 'ünïcode' },
  settings: {
    timeout_ms: 5000,
    retry_schedule_seconds: [1, 1, 1],
    concurrency: 3,
    rate_per_second: 50,
    ordering: 'record',
    coalesce: true,
    auto_recover: true,
  },
};
/** Tries every second for most of a minute. */
const PATIENT = { RETRY_SCHEDULE_SECONDS: Array(50).fill(1).join() };
const OPEN = ['webhooks:read', 'webhooks:write', 'notifications:write'] as const;

/** Each database once as the old cell's, and once as the new one's. */
const pairs = databases.map((from, index) => {
  const to = databases[(index + 1) % databases.length] as TestDatabaseKind;
  return { from, to, name: `${from.name} to ${to.name}` };
});

describe.each(pairs)('a user who moves from $name', ({ from, to }) => {
  const { move, old, fresh } = useMove(from, to, PATIENT);
  const receiver = useReceiver('test');
  let user: string;
  let other: string;
  let key: string;

  beforeEach(async () => {
    ({ user } = move);
    other = newUser();
    key = await old.service.keyFor(user, ...OPEN);
    await old.service.keyFor(user, 'admin');
    await createWebhook(old, { user_id: other, url: receiver.url });
  });

  /** One webhook of each kind. */
  async function makeWebhooks(): Promise<void> {
    const make = (fields: object) => createWebhook(old, { user_id: user, ...fields });
    const ids: string[] = [];
    for (const fields of [
      { ...EVERYTHING, url: `${receiver.url}/standard` },
      { signature: { scheme: 'standard-asymmetric' } },
      { signature: { scheme: 'stripe' }, url: `${receiver.url}/stripe`, secret: OWN_SECRET },
      { signature: { scheme: 'github' }, url: `${receiver.url}/github`, secret: OWN_SECRET },
      { authentication: BASIC },
      { authentication: BEARER, enabled: false },
      { authentication: OAUTH2, url: HTTPS, tls: TLS },
      {
        events: [
          { kind: 'STATUS_CHANGED', enabled: false },
          { kind: 'RECORD_FINISHED', filter: { score: { $gte: 10.5 }, name: 'Ädä' } },
          'TRIGGER_FAILED',
        ],
      },
    ])
      ids.push((await make(fields)).id);
    for (const id of ids.slice(0, 2)) await old.call('POST', '/v1/webhook/secret/rotate', { id });
  }

  /** All that can be read of the user's webhooks and keys, secrets included. */
  async function all({ call }: Pick<TestService, 'call'>): Promise<Json> {
    const { data } = (await call('GET', `/v1/webhook/list?user_id=${user}&limit=100`)).body;
    const secrets = data.map(async ({ id }: Json) => (await call('GET', `/v1/webhook/secret?id=${id}`)).body);
    const keys = (await call('GET', `/v1/api-key/list?user_id=${user}`)).body.data;
    return {
      webhooks: data,
      secrets: await Promise.all(secrets),
      keys: keys
        .filter(({ scopes }: Json) => !scopes.includes('admin'))
        .map(({ last_used_at: _, ...one }: Json) => one),
    };
  }

  const report = (cell: Pick<TestService, 'call'>, more: object = {}) =>
    cell.call(
      'POST',
      '/v1/notification',
      { event_kind: 'RECORD_FINISHED', user_id: user, record, ...more },
      { key },
    );

  /** Exports and imports. @returns the receipt. */
  async function moved(): Promise<string> {
    expect(await old.export()).toMatchObject({ code: 0, stderr: '' });
    const imported = await fresh.import();
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    return receiptOf(imported);
  }

  it('has all that it had, and the requests verify with the same secrets', async () => {
    await makeWebhooks();
    const before = await all(old);
    expect(before.webhooks).toHaveLength(8);
    await moved();
    const after = await all(fresh);
    // What the new cell has not sent to yet has begun there when it came.
    const begun = (webhooks: Json[]) =>
      webhooks.map(({ health, ...webhook }) => ({
        ...webhook,
        health: { ...health, since: expect.any(String) },
      }));
    expect(after).toEqual({ ...before, webhooks: begun(before.webhooks) });

    const answer = await report(fresh);
    expect(answer.status).toBe(202);
    const paths = ['/standard', '/stripe', '/github'];
    await receiver.waitFor(() => paths.every((path) => receiver.at(path).length > 0));
    const [standard, stripe, github] = paths.map((path) => receiver.at(path)[0]) as [Sent, Sent, Sent];
    expect(standard.headers).toMatchObject({
      'x-team': 'risk',
      'x-api-key': 's3cret-header',
      cookie: 'session=s3cret-cookie',
    });
    const rows = await fresh.rows('webhook');
    expect(rows).toHaveLength(8);
    const main = after.webhooks.find(({ uid }: Json) => uid === 'crm/main');
    const { secret } = (await fresh.call('GET', `/v1/webhook/secret?id=${main.id}`)).body;
    new Webhook(secret).verify(standard.body.toString(), standard.headers as Record<string, string>);
    // The secret before the rotation signs as well.
    expect(String(standard.headers['webhook-signature']).split(' ')).toHaveLength(2);
    Stripe.webhooks.constructEvent(stripe.body, String(stripe.headers['stripe-signature']), OWN_SECRET);
    const signature = String(github.headers['x-hub-signature-256']);
    expect(await verifyGithub(OWN_SECRET, github.body.toString(), signature)).toBe(true);
  });

  it('gets what is pending from the old cell, each once, and is then gone from there', async () => {
    const { id } = await createWebhook(old, { user_id: user, url: receiver.url });
    receiver.respondWith({ status: 500 });
    const pending = (await report(old)).body.triggers[0].id;
    await receiver.waitFor(1);

    const receipt = await moved();
    // Reports that still go to the old cell are delivered by it, and those to the new one by that.
    const late = (await report(old)).body.triggers[0].id;
    expect((await old.status()).stdout).toMatch(/: leaving since .*\nto deliver: [12] triggers/);
    await old.expectMoved('PATCH', '/v1/webhook', { id, name: 'new' });
    receiver.respondWith({});
    const [first, second] = [await finished(old, pending), await finished(old, late)];
    expect([first.status, second.status]).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    const there = (await report(fresh)).body.triggers[0].id;
    expect((await finished(fresh, there)).status).toBe('SUCCEEDED');
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(3);

    const done = () => old.status().then(({ stdout }) => stdout.includes('to deliver: 0 triggers, 0'));
    await until(done, { what: 'the end of what is pending' });
    expect(await old.finish(receipt)).toMatchObject({ code: 0, stderr: '' });
    expect(await old.finish(receipt)).toMatchObject({ code: 0, stderr: '' });
    expect(await old.rows('webhook')).toEqual([]);
    expect(await old.rows('webhook_event')).toEqual([]);
    expect((await old.rows('webhook_api_key')).map(({ scopes }) => scopes)).toEqual(['admin']);
    expect((await report(old)).status).toBe(401);
    const body = { event_kind: 'RECORD_FINISHED', user_id: user, record };
    await old.expectMoved('POST', '/v1/notification', body);
    await old.expectMoved('POST', '/v1/webhook', { user_id: user, name: 'a', url: receiver.url });
    const again = await old.export({}, move.file('again.json'));
    expect(again).toMatchObject(refused('has left this cell'));
    // Everybody else is served as before.
    const others = { ...body, user_id: other };
    expect((await old.call('POST', '/v1/notification', others)).body.triggers).toHaveLength(1);
  });

  it('can come back', async () => {
    const { id } = await createWebhook(old, { user_id: user, url: receiver.url });
    const receipt = await moved();
    expect(await old.import()).toMatchObject(refused('is leaving with this very file'));
    expect(await old.finish(receipt)).toMatchObject({ code: 0 });
    expect(await old.import()).toMatchObject(refused(/has left with this very file.*export it there/));
    expect(await old.rows('webhook')).toEqual([]);
    await fresh.call('PATCH', '/v1/webhook', { id, name: 'changed there' }, { key });
    expect(await fresh.export({}, move.file('back.json'))).toMatchObject({ code: 0 });
    expect(await old.import({}, move.file('back.json'))).toMatchObject({ code: 0 });
    // It learns within a second that the user is back.
    const back = async () => (await report(old)).status === 202;
    await until(back, { what: 'the first report' });
    const answer = await report(old);
    expect((await finished(old, answer.body.triggers[0].id)).status).toBe('SUCCEEDED');
    const changed = await old.call('PATCH', '/v1/webhook', { id, description: 'here' }, { key });
    expect(changed.body).toMatchObject({ id, name: 'changed there' });
  });

  it('leaves nothing readable in the file', async () => {
    await makeWebhooks();
    const { secrets } = await all(old);
    await old.export();
    const core = (secret: string) => secret.replace(/^wh(sec|pk|k)_/, '');
    const found = findSecrets(
      [
        ...secrets.map(({ secret }: Json, i: number) => ({ name: `secret ${i}`, core: core(secret) })),
        { name: 'key', core: core(key) },
        ...[
          's3cret-header',
          's3cret-cookie',
          BASIC.password,
          BEARER.token,
          OAUTH2.client_secret,
          OWN_SECRET,
        ].map((text) => ({ name: text, core: text })),
        { name: 'certificate', core: TLS.client_key.split('\n')[1] ?? '' },
        { name: 'URL', core: `${receiver.url}/standard` },
      ],
      [{ name: 'the file', bytes: readFileSync(move.path) }],
    );
    expect(found).toEqual([]);
  });
});
