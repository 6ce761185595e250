import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { WebhookApiKeyListDto, WebhookCreatedApiKeyDto } from '../../src/auth/dto/api-key.dto.js';
import { WebhookEventDto } from '../../src/event/dto/event.dto.js';
import {
  ApiKeyService,
  type CreatedWebhook,
  EventService,
  NotifierService,
  TriggerService,
  WebhookModule,
  WebhookRecovery,
  WebhookSecrets,
  WebhookService,
} from '../../src/index.js';
import { WebhookAcceptedNotificationDto } from '../../src/notifier/dto/notification.dto.js';
import { WebhookDeletedDto } from '../../src/rest/operation.js';
import { WebhookAttemptListDto } from '../../src/trigger/dto/attempt.dto.js';
import { WebhookTriggerDetailDto, WebhookTriggerListDto } from '../../src/trigger/dto/trigger.dto.js';
import { WebhookRecoveredDto } from '../../src/webhook/dto/recovery.dto.js';
import { WebhookRotatedSecretDto, WebhookSecretDto } from '../../src/webhook/dto/secret.dto.js';
import { CreatedWebhookDto, WebhookDto, WebhookListDto } from '../../src/webhook/dto/webhook.dto.js';
import { databases } from '../support/databases.js';
import { useReceiver } from '../support/fixture.js';
import { HOST_KEYS } from '../support/host.js';
import { newUser, record } from '../support/scene.js';
import { until } from '../support/until.js';
import { Answers } from './same-answer.js';
import { useHost } from './use-host.js';

const CREDENTIAL = 'Bearer credential-5d0c';
/** A number that JavaScript cannot represent, and a key that it would move to the front. */
const EXACT = '{"id":"rec_1","analysis":[],"amount":12345678901234567890.10,"7":0}';

describe.each(databases)('a service answers what the REST API answers, on $name', (kind) => {
  const receiver = useReceiver();
  const host = useHost(kind, {
    adapter: 'Fastify',
    webhooks: WebhookModule.forRoot({
      encryptionKeys: HOST_KEYS,
      egress: { allowPrivateNetwork: true },
      delivery: { retryScheduleMs: [0] },
      rateLimitPerMinute: 0,
    }),
  });
  const answers = new Answers();
  const get = <T>(token: new (...all: never[]) => T) => host.app.get<T>(token, { strict: false });
  const keys = () => get(ApiKeyService);
  const webhooks = () => get(WebhookService);
  const triggers = () => get(TriggerService);
  let adminKey: string;
  let user: string;

  beforeAll(async () => {
    adminKey = (await keys().create({ userId: 'root', scopes: ['admin'] })).key;
  });
  beforeEach(() => {
    user = newUser();
    receiver.respondWith({ status: 200, headers: { 'X-Seen': 'yes' }, body: 'thanks' });
  });

  async function rest(method: string, path: string, body?: object) {
    const answer = await host.call(method, path, body, { key: adminKey });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  }
  const fields = () => ({
    name: 'w',
    url: `${receiver.url}/${user}`,
    headers: { 'X-Team_Name': 'risk', Authorization: CREDENTIAL },
    events: ['RECORD_FINISHED' as const],
  });
  const create = (): Promise<CreatedWebhook> => webhooks().create(user, fields());

  /** Notifies, and waits for the end of the delivery. @returns the trigger's id. */
  async function delivered(): Promise<string> {
    const { triggers: accepted } = await get(NotifierService).notify('record.finished', {
      user_id: user,
      record,
    });
    const id = accepted[0]?.id ?? '';
    await until(async () => (await triggers().find(user, id)).end);
    return id;
  }

  it('about webhooks', async () => {
    const byRest = await rest('POST', '/v1/webhook', { ...fields(), user_id: user });
    const created = await create();
    answers.alike(CreatedWebhookDto, byRest, created);
    const { id } = created;
    answers.same(WebhookDto, await rest('GET', `/v1/webhook?id=${id}`), await webhooks().find(user, id));
    const change = { id, description: 'd', events: [] };
    answers.alike(
      WebhookDto,
      await rest('PATCH', '/v1/webhook', change),
      await webhooks().update(user, change),
    );
    answers.alike(
      WebhookDeletedDto,
      await rest('DELETE', `/v1/webhook?id=${byRest.id}`),
      await webhooks().delete(user, id),
    );
  });

  it('about lists of webhooks, page by page', async () => {
    for (let made = 0; made < 3; made++) await create();
    let cursor: string | undefined;
    for (const size of [2, 1]) {
      const query = new URLSearchParams({
        user_id: user,
        event_kind: 'RECORD_FINISHED',
        limit: '2',
        enabled: 'true',
      });
      if (cursor) query.set('cursor', cursor);
      const page = await webhooks().list(null, {
        userId: user,
        eventKind: 'RECORD_FINISHED',
        limit: 2,
        enabled: true,
        cursor,
      });
      answers.same(WebhookListDto, await rest('GET', `/v1/webhook/list?${query}`), page);
      expect(page.data).toHaveLength(size);
      cursor = page.nextCursor ?? undefined;
    }
  });

  it('about signing secrets', async () => {
    const { id } = await create();
    const rotation = { id, overlap_seconds: 60 };
    const rotated = await get(WebhookSecrets).rotate(user, { id, overlapSeconds: 60 });
    answers.alike(
      WebhookRotatedSecretDto,
      await rest('POST', '/v1/webhook/secret/rotate', rotation),
      rotated,
    );
    answers.same(
      WebhookSecretDto,
      await rest('GET', `/v1/webhook/secret?id=${id}`),
      await webhooks().secret(user, id),
    );
    const found = await webhooks().find(user, id);
    answers.same(WebhookDto, await rest('GET', `/v1/webhook?id=${id}`), found);
    expect(found.previousSecretsExpireAt).toHaveLength(2);
  });

  it('about events', async () => {
    const [one, other] = [await create(), await create()];
    const byRest = await rest('POST', '/v1/webhook/event', { webhook_id: one.id, kind: 'STATUS_CHANGED' });
    const event = await get(EventService).create(user, { webhookId: other.id, kind: 'STATUS_CHANGED' });
    answers.alike(WebhookEventDto, byRest, event);
    const change = { id: event.id, enabled: false };
    answers.same(
      WebhookEventDto,
      await rest('PATCH', '/v1/webhook/event', change),
      await get(EventService).update(user, change),
    );
    const deleted = await get(EventService).delete(user, event.id);
    answers.alike(WebhookDeletedDto, await rest('DELETE', `/v1/webhook/event?id=${byRest.id}`), deleted);
  });

  it('about notifications', async () => {
    await create();
    const event = { user_id: user, record };
    const { replayed, ...accepted } = await get(NotifierService).notify('record.finished', event);
    const byRest = await rest('POST', '/v1/notification', { event_kind: 'RECORD_FINISHED', ...event });
    answers.alike(WebhookAcceptedNotificationDto, byRest, accepted);
    expect(replayed).toBe(false);
  });

  it.each([{ status: 200 }, { status: 500 }])('about triggers that got $status', async ({ status }) => {
    receiver.respondWith({ status, headers: { 'X-Seen': 'yes' }, body: '{"text":"stays text"}' });
    await create();
    const id = await delivered();
    const found = await triggers().find(user, id);
    answers.same(WebhookTriggerDetailDto, await rest('GET', `/v1/webhook/trigger?id=${id}`), found);
    expect(found.attempts).toHaveLength(status === 200 ? 1 : 2);
    const listOf = (query = '') => rest('GET', `/v1/webhook/trigger/list?user_id=${user}${query}`);
    answers.same(WebhookTriggerListDto, await listOf(), await triggers().list(user));
    answers.same(
      WebhookTriggerListDto,
      await listOf('&include=data'),
      await triggers().list(user, { include: 'data' }),
    );
    const [since, until] = [found.begin ?? '', '2999-01-01T00:00:00Z'];
    const late = await triggers().list(user, { since: until });
    answers.same(WebhookTriggerListDto, await listOf(`&since=${until}`), late);
    const span = { webhookId: found.webhookId, eventKind: 'RECORD_FINISHED', until, status: found.status };
    expect((await triggers().list(null, span)).data).toMatchObject([{ id }]);
    expect([late.data, Date.parse(since)]).toEqual([[], expect.any(Number)]);
    const page = await triggers().attempts(user, { triggerId: id, limit: 1 });
    answers.same(
      WebhookAttemptListDto,
      await rest('GET', `/v1/webhook/trigger/attempt/list?trigger_id=${id}&limit=1`),
      page,
    );
  });

  it('about triggers that are under way', async () => {
    const { id } = await create();
    const [first, second] = [await delivered(), await delivered()];
    let answerAll = () => {};
    receiver.respondWith({ after: new Promise<void>((resolve) => (answerAll = resolve)) });
    const tested = await get(NotifierService).test(user, { id });
    answers.alike(WebhookTriggerDetailDto, await rest('POST', '/v1/webhook/test', { id }), tested);
    const retried = await triggers().retry(user, first);
    answers.alike(
      WebhookTriggerDetailDto,
      await rest('POST', '/v1/webhook/trigger/retry', { id: second }),
      retried,
    );
    answerAll();
  });

  it('with the body of a request as the exact text that was sent', async () => {
    const webhook = await create();
    const raw = `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":${EXACT}}`;
    const { body } = await host.call('POST', '/v1/notification', undefined, { key: adminKey, raw });
    const { id } = body.triggers[0];
    await until(async () => (await triggers().find(user, id)).end);
    const { requestData } = await triggers().find(user, id);
    expect(requestData.body).toContain(`"data":${EXACT}`);
    const sent = receiver.requests.find(({ path }) => path === new URL(webhook.url).pathname);
    expect(requestData.body).toBe(sent?.body.toString());
    const shown = await host.call('GET', `/v1/webhook/trigger?id=${id}`, undefined, { key: adminKey });
    expect(shown.text).toContain(`"body":${requestData.body}`);
  });

  it('about recoveries', async () => {
    receiver.respondWith({ status: 500 });
    const { id } = await create();
    await delivered();
    const since = '2000-01-01T00:00:00Z';
    const counted = await get(WebhookRecovery).recover(user, { id, since, dryRun: true });
    answers.same(
      WebhookRecoveredDto,
      await rest('POST', '/v1/webhook/recover', { id, since, dry_run: true }),
      counted,
    );
    expect(counted).toEqual({ triggers: 1 });
    expect(await get(WebhookRecovery).recover(user, { id, since, until: since })).toEqual({ triggers: 0 });
    expect(await get(WebhookRecovery).recover(user, { id, since })).toEqual({ triggers: 1 });
  });

  it('about API keys', async () => {
    const byRest = await rest('POST', '/v1/api-key', { user_id: user, scopes: ['webhooks:read'] });
    const created = await keys().create({ userId: user, scopes: ['webhooks:read'] });
    answers.alike(WebhookCreatedApiKeyDto, byRest, created);
    await host.call('GET', '/v1/webhook/list', undefined, { key: created.key });
    const list = () => keys().list({ userId: user });
    await until(async () => (await list()).data[0]?.lastUsedAt);
    answers.same(WebhookApiKeyListDto, await rest('GET', `/v1/api-key/list?user_id=${user}`), await list());
    answers.alike(
      WebhookDeletedDto,
      await rest('DELETE', `/v1/api-key?id=${byRest.id}`),
      await keys().delete(created.id),
    );
  });

  it('in plain objects without anything sealed, hashed or internal', async () => {
    expect(answers.all.length).toBeGreaterThan(25);
    const text = JSON.stringify(answers.all);
    expect(text).not.toContain(CREDENTIAL);
    expect(text).not.toMatch(/"(row|hash|lease\w*|generation|failing\w*|untold\w*|sealed\w*|requestHead)":/i);
    const stored: Record<string, string | null>[] = [];
    for (const [table, columns] of Object.entries(SEALED)) {
      stored.push(...(await get(DataSource).query(`SELECT ${columns} FROM ${table}`)));
    }
    const sealed = stored.flatMap((row) => Object.values(row)).filter((value) => value !== null);
    expect(sealed.length).toBeGreaterThan(20);
    for (const value of sealed) expect(text).not.toContain(JSON.stringify(value).slice(1, -1));
    for (const answer of answers.all) expectPlain(answer);
  });

  it('to the compiler', async () => {
    const webhook = await create();
    const { updatedAt, ...less } = webhook;
    // @ts-expect-error: a field is missing
    expect(() => answers.same(CreatedWebhookDto, webhook, less)).toThrow('updatedAt');
    // @ts-expect-error: a field is of another type
    expect(() => answers.same(CreatedWebhookDto, webhook, { ...less, updatedAt: 1 })).toThrow('updatedAt');
    // @ts-expect-error: there is a field too many
    expect(() => answers.same(CreatedWebhookDto, webhook, { ...webhook, more: 1 })).toThrow('more');
  });
});

/** The columns that hold sealed values or hashes. */
const SEALED = {
  webhook: 'sealed_headers, sealed_secret, sealed_previous_secrets',
  webhook_request_head: 'sealed_head',
  webhook_api_key: 'hash',
};

function expectPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  for (const item of Object.values(value)) expectPlain(item);
}
