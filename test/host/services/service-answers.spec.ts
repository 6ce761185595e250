import { describe, expect, it } from '@jest/globals';
import { WebhookApiKeyListDto, WebhookCreatedApiKeyDto } from '../../../src/auth/dto/api-key.dto.js';
import { WebhookEventDto } from '../../../src/event/dto/event.dto.js';
import {
  ApiKeyService,
  EventService,
  StatisticsService,
  WebhookRecovery,
  WebhookSecrets,
} from '../../../src/index.js';
import { WebhookDeletedDto } from '../../../src/rest/operation.js';
import { WebhookStatisticsDto } from '../../../src/statistics/dto/statistics.dto.js';
import { WebhookRotatedSecretDto, WebhookSecretDto } from '../../../src/webhook/dto/secret.dto.js';
import { CreatedWebhookDto, WebhookDto, WebhookListDto } from '../../../src/webhook/dto/webhook.dto.js';
import {
  WebhookRecoveryDto,
  WebhookRecoveryListDto,
} from '../../../src/webhook/recovery/dto/recovery.dto.js';
import { databases } from '../../support/databases.js';
import { until as waitUntil } from '../../support/until.js';
import { useAnswers } from '../use-answers.js';

const WEBHOOK = '/v1/webhook';

describe.each(databases)('a service answers what the REST API answers, on $name', (kind) => {
  const scene = useAnswers(kind);
  const { answers, rest, get } = scene;

  it('about webhooks', async () => {
    const { user, webhooks } = scene;
    const byRest = await rest('POST', WEBHOOK, { ...scene.fields(), user_id: user });
    const created = await scene.create();
    answers.alike(CreatedWebhookDto, byRest, created);
    const { id } = created;
    answers.same(WebhookDto, await rest('GET', `${WEBHOOK}?id=${id}`), await webhooks.find(user, id));
    const change = { id, description: 'd', events: [] };
    answers.alike(WebhookDto, await rest('PATCH', WEBHOOK, change), await webhooks.update(user, change));
    const deleted = await rest('DELETE', `${WEBHOOK}?id=${byRest.id}`);
    answers.alike(WebhookDeletedDto, deleted, await webhooks.delete(user, id));
  });

  it('about lists of webhooks, page by page', async () => {
    const { user, webhooks } = scene;
    for (let made = 0; made < 3; made++) await scene.create();
    const filter = { limit: 2, enabled: true };
    let cursor: string | undefined;
    for (const size of [2, 1]) {
      const filters = `user_id=${user}&event_kind=RECORD_FINISHED&limit=2&enabled=true`;
      const path = `${WEBHOOK}/list?${filters}${cursor ? `&cursor=${cursor}` : ''}`;
      const query = { userId: user, eventKind: 'RECORD_FINISHED', ...filter, cursor };
      const page = await webhooks.list(null, query);
      answers.same(WebhookListDto, await rest('GET', path), page);
      expect(page.data).toHaveLength(size);
      cursor = page.nextCursor ?? undefined;
    }
  });

  it('about signing secrets', async () => {
    const { user, webhooks } = scene;
    const { id } = await scene.create();
    const rotated = await get(WebhookSecrets).rotate(user, { id, overlapSeconds: 60 });
    const byRest = await rest('POST', `${WEBHOOK}/secret/rotate`, { id, overlap_seconds: 60 });
    answers.alike(WebhookRotatedSecretDto, byRest, rotated);
    const secret = await webhooks.secret(user, id);
    answers.same(WebhookSecretDto, await rest('GET', `${WEBHOOK}/secret?id=${id}`), secret);
    const found = await webhooks.find(user, id);
    answers.same(WebhookDto, await rest('GET', `${WEBHOOK}?id=${id}`), found);
    expect(found.previousSecretsExpireAt).toHaveLength(2);
  });

  it('about events', async () => {
    const { user } = scene;
    const [one, other] = [await scene.create(), await scene.create()];
    const path = `${WEBHOOK}/event`;
    const byRest = await rest('POST', path, { webhook_id: one.id, kind: 'STATUS_CHANGED' });
    const event = await get(EventService).create(user, { webhookId: other.id, kind: 'STATUS_CHANGED' });
    answers.alike(WebhookEventDto, byRest, event);
    const change = { id: event.id, enabled: false };
    const changed = await get(EventService).update(user, change);
    answers.same(WebhookEventDto, await rest('PATCH', path, change), changed);
    const deleted = await get(EventService).delete(user, event.id);
    answers.alike(WebhookDeletedDto, await rest('DELETE', `${path}?id=${byRest.id}`), deleted);
  });

  it('about recoveries', async () => {
    const { user } = scene;
    scene.receiver.respondWith({ status: 500 });
    const { id } = await scene.create();
    await scene.delivered();
    const recovery = get(WebhookRecovery);
    const since = '2000-01-01T00:00:00Z';
    const until = '2100-01-01T00:00:00Z';
    const counted = await recovery.recover(user, { id, since, until, dryRun: true });
    const byRest = await rest('POST', `${WEBHOOK}/recover`, { id, since, until, dry_run: true });
    answers.same(WebhookRecoveryDto, byRest, counted);
    expect(counted).toMatchObject({ triggers: 1, total: 1, id: null, state: null, begin: null, end: null });
    const begun = await recovery.recover(user, { id, since, missed: true, perSecond: 1000 });
    expect(begun).toMatchObject({ triggers: 1, state: 'RUNNING', missed: true, perSecond: 1000 });
    const path = `${WEBHOOK}/recover?id=${begun.id}`;
    const done = await waitUntil(async () => {
      const found = await recovery.find(user, begun.id as string);
      return found.state === 'DONE' ? found : null;
    });
    answers.same(WebhookRecoveryDto, await rest('GET', path), done);
    answers.same(
      WebhookRecoveryDto,
      await rest('DELETE', path),
      await recovery.stop(user, begun.id as string),
    );
    const listed = await recovery.list(user, { webhookId: id });
    answers.same(
      WebhookRecoveryListDto,
      await rest('GET', `${WEBHOOK}/recover/list?webhook_id=${id}`),
      listed,
    );
  });

  it('about statistics', async () => {
    const { user } = scene;
    const { id } = await scene.create();
    await scene.delivered();
    const statistics = get(StatisticsService);
    const until = new Date().toISOString();
    const path = `${WEBHOOK}/stats?until=${until}`;
    const counted = await statistics.find(user, { id, until, step: 'minute', eventKind: 'RECORD_FINISHED' });
    expect(counted.total).toMatchObject({ attempts: 1, byCode: { 200: 1 } });
    const byRest = await rest('GET', `${path}&id=${id}&step=minute&event_kind=RECORD_FINISHED`);
    answers.same(WebhookStatisticsDto, byRest, counted);
    const all = await statistics.find(null, { userId: user, until });
    answers.same(WebhookStatisticsDto, await rest('GET', `${path}&user_id=${user}`), all);
    // An empty owner is nobody, and not everybody.
    expect((await statistics.find('')).total.attempts).toBe(0);
    await expect(statistics.find('somebody', { id })).rejects.toMatchObject({ status: 404 });
    await expect(statistics.find(0 as never)).rejects.toThrow(TypeError);
  });

  it('about API keys', async () => {
    const { user } = scene;
    const keys = get(ApiKeyService);
    const byRest = await rest('POST', '/v1/api-key', { user_id: user, scopes: ['webhooks:read'] });
    const created = await keys.create({ userId: user, scopes: ['webhooks:read'] });
    answers.alike(WebhookCreatedApiKeyDto, byRest, created);
    await keys.authenticate({ headers: { authorization: `Bearer ${created.key}` } });
    const list = () => keys.list({ userId: user });
    await waitUntil(async () => (await list()).data[0]?.lastUsedAt);
    answers.same(WebhookApiKeyListDto, await rest('GET', `/v1/api-key/list?user_id=${user}`), await list());
    const deleted = await keys.delete(created.id);
    answers.alike(WebhookDeletedDto, await rest('DELETE', `/v1/api-key?id=${byRest.id}`), deleted);
  });

  it('in plain objects without anything sealed, hashed or internal', async () => {
    expect(answers.all.length).toBeGreaterThan(10);
    await scene.expectNothingInternal();
  });

  it('to the compiler', async () => {
    const webhook = await scene.create();
    const { updatedAt, ...less } = webhook;
    // @ts-expect-error: a field is missing
    expect(() => answers.same(CreatedWebhookDto, webhook, less)).toThrow('updatedAt');
    // @ts-expect-error: a field is of another type
    expect(() => answers.same(CreatedWebhookDto, webhook, { ...less, updatedAt: 1 })).toThrow('updatedAt');
    // @ts-expect-error: there is a field too many
    expect(() => answers.same(CreatedWebhookDto, webhook, { ...webhook, more: 1 })).toThrow('more');
  });
});
