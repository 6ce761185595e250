import { describe, expect, it } from '@jest/globals';
import {
  ApiKeyService,
  EventService,
  NotificationErasure,
  NotificationService,
  NotifierService,
  StatisticsService,
  WebhookRecovery,
  WebhookSecrets,
} from '../../../src/index.js';
import { camelKeys } from '../../../src/rest/camel.js';
import { NO_ID } from '../../support/api.js';
import { HTTPS, OAUTH2, TLS } from '../../support/authentication/credentials.js';
import { databases } from '../../support/databases.js';
import { newUser, record } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { useAnswers } from './use-answers.js';

const WEBHOOK = '/v1/webhook';
const TRIGGER = `${WEBHOOK}/trigger`;
/** A number that JavaScript cannot represent, and a key that it would move to the front. */
const EXACT = '{"id":"rec_1","analysis":[],"amount":12345678901234567890.10,"7":0}';
const PAST = '2000-01-01T00:00:00Z';
const FUTURE = '2999-01-01T00:00:00Z';

describe.each(databases)('a service answers what the REST API answers, on $name', (kind) => {
  const scene = useAnswers(kind);
  const { same, alike, rest, get } = scene;

  it('about webhooks', async () => {
    const { user, webhooks } = scene;
    const byRest = await rest('POST', WEBHOOK, { ...scene.fields(), user_id: user });
    const { id } = await alike(byRest, scene.create());
    await same(rest('GET', `${WEBHOOK}?id=${id}`), webhooks.find(user, id));
    const change = { id, description: 'd', events: [] };
    await alike(await rest('PATCH', WEBHOOK, change), webhooks.update(user, change));
    const deleted = rest('DELETE', `${WEBHOOK}?id=${byRest.id}`);
    await alike(deleted, webhooks.delete(user, id));
  });

  it('about webhooks that are made so, with all that they can be given', async () => {
    const { user, webhooks } = scene;
    const signature = { scheme: 'standard-asymmetric' as const };
    const settings = { timeout_ms: 2000, retry_schedule_seconds: [1], auto_recover: false };
    const body = { uid: 'crm', name: 'w', url: HTTPS, signature, settings, authentication: OAUTH2, tls: TLS };
    const authentication = { ...camelKeys(OAUTH2), type: 'oauth2' as const };
    const input = { ...body, settings: camelKeys(settings), authentication, tls: camelKeys(TLS) };
    const made = await webhooks.put(user, input);
    const { id } = made;
    const found = await webhooks.findByUid(user, 'crm');
    // Nothing is changed, of what is masked neither.
    await same(rest('PUT', WEBHOOK, { ...body, user_id: user }), found);
    expect(made).toEqual({ ...found, secret: expect.any(String) });
    expect(await webhooks.put(user, input)).toEqual(found);
    const secrets = get(WebhookSecrets);
    await same(rest('GET', `${WEBHOOK}/public-key?id=${id}`), secrets.publicKey(user, id));
    const changed = await webhooks.update(user, { id, settings: { timeoutMs: null } });
    await same(rest('GET', `${WEBHOOK}?uid=crm&user_id=${user}`), changed);
    expect(changed.settings).toEqual({ ...found.settings, timeoutMs: null });
    const wrong = { settings: { timeout_ms: 5000 } as object, tls: { clientKey: 'x' } };
    const pointers = ['/settings/timeout_ms', '/tls/clientKey', '/tls/clientCertificate'];
    const errors = pointers.map((pointer) => ({ pointer }));
    await expect(webhooks.update(user, { id, ...wrong })).rejects.toMatchObject({ errors });
    await expect(webhooks.put(user, { ...input, uid: '' })).rejects.toMatchObject({ status: 400 });
    await expect(webhooks.findByUid(user, 'none')).rejects.toMatchObject({ status: 404 });
    await expect(secrets.publicKey(newUser(), id)).rejects.toMatchObject({ status: 404 });
  });

  it('about lists of webhooks, page by page', async () => {
    const { user, webhooks } = scene;
    for (let made = 0; made < 3; made++) await scene.create();
    const query = { userId: user, eventKind: 'RECORD_FINISHED', limit: 2, enabled: true };
    let cursor: string | undefined;
    for (const size of [2, 1]) {
      const filters = `user_id=${user}&event_kind=RECORD_FINISHED&limit=2&enabled=true`;
      const path = `${WEBHOOK}/list?${filters}${cursor ? `&cursor=${cursor}` : ''}`;
      const page = await same(rest('GET', path), webhooks.list(null, { ...query, cursor }));
      expect(page.data).toHaveLength(size);
      cursor = page.nextCursor ?? undefined;
    }
  });

  it('about signing secrets', async () => {
    const { user, webhooks } = scene;
    const { id } = await scene.create();
    const rotated = await get(WebhookSecrets).rotate(user, { id, overlapSeconds: 60 });
    const byRest = rest('POST', `${WEBHOOK}/secret/rotate`, { id, overlap_seconds: 60 });
    await alike(byRest, rotated);
    await same(rest('GET', `${WEBHOOK}/secret?id=${id}`), webhooks.secret(user, id));
    const found = await same(rest('GET', `${WEBHOOK}?id=${id}`), webhooks.find(user, id));
    expect(found.previousSecretsExpireAt).toHaveLength(2);
  });

  it('about events', async () => {
    const { user } = scene;
    const events = get(EventService);
    const [one, other] = [await scene.create(), await scene.create()];
    const path = `${WEBHOOK}/event`;
    const byRest = await rest('POST', path, { webhook_id: one.id, kind: 'STATUS_CHANGED' });
    const made = events.create(user, { webhookId: other.id, kind: 'STATUS_CHANGED' });
    const { id } = await alike(byRest, made);
    const change = { id, enabled: false };
    const changed = await events.update(user, change);
    await same(rest('PATCH', path, change), changed);
    const deleted = rest('DELETE', `${path}?id=${byRest.id}`);
    await alike(deleted, events.delete(user, id));
  });

  it('about recoveries', async () => {
    const { user } = scene;
    scene.receiver.respondWith({ status: 500 });
    const { id } = await scene.create();
    await scene.delivered();
    const recovery = get(WebhookRecovery);
    const span = { id, since: PAST, until: FUTURE };
    const dry = rest('POST', `${WEBHOOK}/recover`, { ...span, dry_run: true });
    const counted = await same(dry, recovery.recover(user, { ...span, dryRun: true }));
    expect(counted).toMatchObject({ triggers: 1, total: 1, id: null, state: null, begin: null, end: null });
    const begun = await recovery.recover(user, { id, since: PAST, missed: true, perSecond: 1000 });
    expect(begun).toMatchObject({ triggers: 1, state: 'RUNNING', missed: true, perSecond: 1000 });
    const path = `${WEBHOOK}/recover?id=${begun.id}`;
    const find = () => recovery.find(user, begun.id as string);
    await until(async () => (await find()).state === 'DONE');
    await same(rest('GET', path), find());
    const stopped = await rest('DELETE', path);
    await same(stopped, recovery.stop(user, begun.id as string));
    const list = rest('GET', `${WEBHOOK}/recover/list?webhook_id=${id}`);
    await same(list, recovery.list(user, { webhookId: id }));
  });

  it('about statistics', async () => {
    const { user } = scene;
    const { id } = await scene.create();
    await scene.delivered();
    const statistics = get(StatisticsService);
    const now = new Date().toISOString();
    const path = `${WEBHOOK}/stats?until=${now}`;
    const counted = await same(
      rest('GET', `${path}&id=${id}&step=minute&event_kind=RECORD_FINISHED`),
      statistics.find(user, { id, until: now, step: 'minute', eventKind: 'RECORD_FINISHED' }),
    );
    expect(counted.total).toMatchObject({ attempts: 1, byCode: { 200: 1 } });
    const all = statistics.find(null, { userId: user, until: now });
    await same(rest('GET', `${path}&user_id=${user}`), all);
    // An empty owner is nobody, and not everybody.
    expect((await statistics.find('')).total.attempts).toBe(0);
    await expect(statistics.find('somebody', { id })).rejects.toMatchObject({ status: 404 });
    await expect(statistics.find(0 as never)).rejects.toThrow(TypeError);
  });

  it('about API keys', async () => {
    const { user } = scene;
    const keys = get(ApiKeyService);
    const byRest = await rest('POST', '/v1/api-key', { user_id: user, scopes: ['webhooks:read'] });
    const made = keys.create({ userId: user, scopes: ['webhooks:read'] });
    const { id, key } = await alike(byRest, made);
    await keys.authenticate({ headers: { authorization: `Bearer ${key}` } });
    const list = () => keys.list({ userId: user });
    await until(async () => (await list()).data[0]?.lastUsedAt);
    await same(rest('GET', `/v1/api-key/list?user_id=${user}`), list());
    const deleted = rest('DELETE', `/v1/api-key?id=${byRest.id}`);
    await alike(deleted, keys.delete(id));
  });

  it('about accepted notifications', async () => {
    const { user } = scene;
    await scene.create();
    const event = { user_id: user, record };
    const { replayed, ...accepted } = await get(NotifierService).notify('record.finished', event);
    expect(replayed).toBe(false);
    const byRest = rest('POST', '/v1/notification', { event_kind: 'RECORD_FINISHED', ...event });
    await alike(byRest, accepted);
  });

  it.each([
    { status: 200, attempts: 1 },
    { status: 500, attempts: 2 },
  ])('about a delivery that got $status', async ({ status, attempts }) => {
    const { user, triggers } = scene;
    scene.receiver.respondWith({ status, headers: { 'X-Seen': 'yes' }, body: '{"text":"stays text"}' });
    await scene.create();
    const id = await scene.delivered();
    const byRest = rest('GET', `${TRIGGER}?id=${id}`);
    const found = await same(byRest, triggers.find(user, id));
    expect(found.attempts).toHaveLength(attempts);
    const list = rest('GET', `${TRIGGER}/attempt/list?trigger_id=${id}&limit=1`);
    await same(list, triggers.attempts(user, { triggerId: id, limit: 1 }));
  });

  it('about lists of deliveries', async () => {
    const { user, triggers } = scene;
    const { id } = await scene.create();
    const delivered = await scene.delivered();
    const listOf = (query = '') => rest('GET', `${TRIGGER}/list?user_id=${user}${query}`);
    await same(listOf(), triggers.list(user));
    const withData = triggers.list(user, { include: 'data' });
    await same(listOf('&include=data'), withData);
    const later = triggers.list(user, { since: FUTURE });
    expect((await same(listOf(`&since=${FUTURE}`), later)).data).toEqual([]);
    const span = { webhookId: id, eventKind: 'RECORD_FINISHED', until: FUTURE, status: 'SUCCEEDED' as const };
    expect((await triggers.list(null, span)).data).toMatchObject([{ id: delivered }]);
  });

  it('about notifications', async () => {
    const { user, webhooks } = scene;
    await scene.create();
    await webhooks.create(user, { ...scene.fields(), events: [] });
    await scene.delivered();
    const notifications = get(NotificationService);
    const { data } = await same(
      rest('GET', `/v1/notification/list?user_id=${user}&record_id=rec_1&event_kind=RECORD_FINISHED&limit=1`),
      notifications.list(user, { recordId: 'rec_1', eventKind: 'RECORD_FINISHED', limit: 1 }),
    );
    const id = data[0]?.id ?? '';
    const byRest = rest('GET', `/v1/notification?id=${id}`);
    const found = await same(byRest, notifications.find(user, id));
    expect(found.decisions.map(({ outcome }) => outcome)).toEqual(['triggered', 'not_subscribed']);
    expect(found.data).toBe(JSON.stringify(record));
  });

  it('about deliveries that are under way', async () => {
    const { user, triggers } = scene;
    const { id } = await scene.create();
    const [first, second] = [await scene.delivered(), await scene.delivered()];
    const release = scene.receiver.hold();
    const tested = await get(NotifierService).test(user, { id });
    const testedByRest = rest('POST', `${WEBHOOK}/test`, { id });
    await alike(testedByRest, tested);
    const retried = await triggers.retry(user, first);
    const retriedByRest = rest('POST', `${TRIGGER}/retry`, { id: second });
    await alike(retriedByRest, retried);
    release();
  });

  it('about deliveries that are retried together, or erased', async () => {
    const { user, triggers } = scene;
    await scene.create();
    const id = await scene.delivered();
    const ids = [id, NO_ID];
    const attempted = (times: number) =>
      until(async () => (await triggers.find(user, id)).attemptCount === times);
    const retried = await triggers.retryMany(user, ids);
    await attempted(2);
    const retriedByRest = rest('POST', `${TRIGGER}/retry`, { ids });
    await same(retriedByRest, retried);
    await attempted(3);
    const erased = await get(NotificationErasure).erase(user, { recordId: record.id });
    expect(erased).toEqual({ notifications: 1, triggers: 1, cancelled: 0 });
    await scene.delivered();
    const erasedByRest = rest('DELETE', `/v1/notification?user_id=${user}&record_id=${record.id}`);
    await same(erasedByRest, erased);
    const { error, requestData } = await triggers.find(user, id);
    const { error: sameError, request_data } = await rest('GET', `${TRIGGER}?id=${id}`);
    expect({ error, body: requestData.body }).toEqual({ error: sameError, body: request_data.body });
  });

  it('with the body of the request as the exact text that was sent', async () => {
    const { user, triggers } = scene;
    await scene.create();
    const raw = `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":${EXACT}}`;
    const { id } = (await scene.call('POST', '/v1/notification', undefined, raw)).body.triggers[0];
    await until(async () => (await triggers.find(user, id)).end);
    const { body } = (await triggers.find(user, id)).requestData;
    expect(body).toContain(`"data":${EXACT}`);
    expect(scene.receiver.at(`/${user}`).map((sent) => sent.body.toString())).toEqual([body]);
    expect((await scene.call('GET', `${TRIGGER}?id=${id}`)).text).toContain(`"body":${body}`);
  });

  it('in plain objects without anything sealed, hashed or internal', async () => {
    await scene.expectNothingInternal();
  });
});
