import { describe, expect, it } from '@jest/globals';
import { NotificationErasure, NotificationService, NotifierService } from '../../../src/index.js';
import { WebhookErasedDto } from '../../../src/notification/dto/erasure.dto.js';
import {
  WebhookNotificationDetailDto,
  WebhookNotificationListDto,
} from '../../../src/notification/dto/notification.dto.js';
import { WebhookAcceptedNotificationDto } from '../../../src/notifier/dto/notification.dto.js';
import { WebhookAttemptListDto } from '../../../src/trigger/dto/attempt.dto.js';
import { WebhookTriggerDetailDto, WebhookTriggerListDto } from '../../../src/trigger/dto/trigger.dto.js';
import { WebhookRetriedTriggersDto } from '../../../src/trigger/retry/retry.dto.js';
import { NO_ID } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { record } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { useAnswers } from '../use-answers.js';

const TRIGGER = '/v1/webhook/trigger';
/** A number that JavaScript cannot represent, and a key that it would move to the front. */
const EXACT = '{"id":"rec_1","analysis":[],"amount":12345678901234567890.10,"7":0}';
const FUTURE = '2999-01-01T00:00:00Z';

describe.each(databases)('a service answers what the REST API answers about deliveries, on $name', (kind) => {
  const scene = useAnswers(kind);
  const { answers, rest, get } = scene;

  it('when they are accepted', async () => {
    const { user } = scene;
    await scene.create();
    const event = { user_id: user, record };
    const { replayed, ...accepted } = await get(NotifierService).notify('record.finished', event);
    const byRest = await rest('POST', '/v1/notification', { event_kind: 'RECORD_FINISHED', ...event });
    answers.alike(WebhookAcceptedNotificationDto, byRest, accepted);
    expect(replayed).toBe(false);
  });

  it.each([
    { status: 200, attempts: 1 },
    { status: 500, attempts: 2 },
  ])('that got $status', async ({ status, attempts }) => {
    const { user, triggers } = scene;
    scene.receiver.respondWith({ status, headers: { 'X-Seen': 'yes' }, body: '{"text":"stays text"}' });
    await scene.create();
    const id = await scene.delivered();
    const found = await triggers.find(user, id);
    answers.same(WebhookTriggerDetailDto, await rest('GET', `${TRIGGER}?id=${id}`), found);
    expect(found.attempts).toHaveLength(attempts);
    const byRest = await rest('GET', `${TRIGGER}/attempt/list?trigger_id=${id}&limit=1`);
    answers.same(WebhookAttemptListDto, byRest, await triggers.attempts(user, { triggerId: id, limit: 1 }));
  });

  it('in lists', async () => {
    const { user, triggers } = scene;
    const { id } = await scene.create();
    const delivered = await scene.delivered();
    const listOf = (query = '') => rest('GET', `${TRIGGER}/list?user_id=${user}${query}`);
    answers.same(WebhookTriggerListDto, await listOf(), await triggers.list(user));
    const withData = await triggers.list(user, { include: 'data' });
    answers.same(WebhookTriggerListDto, await listOf('&include=data'), withData);
    const later = await triggers.list(user, { since: FUTURE });
    answers.same(WebhookTriggerListDto, await listOf(`&since=${FUTURE}`), later);
    expect(later.data).toEqual([]);
    const span = { webhookId: id, eventKind: 'RECORD_FINISHED', until: FUTURE, status: 'SUCCEEDED' as const };
    expect((await triggers.list(null, span)).data).toMatchObject([{ id: delivered }]);
  });

  it('as notifications', async () => {
    const { user, webhooks } = scene;
    await scene.create();
    await webhooks.create(user, { ...scene.fields(), events: [] });
    await scene.delivered();
    const notifications = get(NotificationService);
    const list = await notifications.list(user, {
      recordId: 'rec_1',
      eventKind: 'RECORD_FINISHED',
      limit: 1,
    });
    const path = `/v1/notification/list?user_id=${user}&record_id=rec_1&event_kind=RECORD_FINISHED&limit=1`;
    answers.same(WebhookNotificationListDto, await rest('GET', path), list);
    const id = list.data[0]?.id ?? '';
    const found = await notifications.find(user, id);
    answers.same(WebhookNotificationDetailDto, await rest('GET', `/v1/notification?id=${id}`), found);
    expect(found.decisions.map(({ outcome }) => outcome)).toEqual(['triggered', 'not_subscribed']);
    expect(found.data).toBe(JSON.stringify(record));
  });

  it('that are under way', async () => {
    const { user, triggers } = scene;
    const { id } = await scene.create();
    const [first, second] = [await scene.delivered(), await scene.delivered()];
    let answerAll = () => {};
    const answered = new Promise<void>((resolve) => {
      answerAll = resolve;
    });
    scene.receiver.respondWith({ after: answered });
    const tested = await get(NotifierService).test(user, { id });
    answers.alike(WebhookTriggerDetailDto, await rest('POST', '/v1/webhook/test', { id }), tested);
    const retried = await triggers.retry(user, first);
    answers.alike(WebhookTriggerDetailDto, await rest('POST', `${TRIGGER}/retry`, { id: second }), retried);
    answerAll();
  });

  it('that are retried together, or erased', async () => {
    const { user, triggers } = scene;
    await scene.create();
    const ids = [await scene.delivered(), NO_ID];
    const retried = await triggers.retryMany(user, ids);
    await until(async () => (await triggers.find(user, ids[0] as string)).attemptCount === 2);
    answers.same(WebhookRetriedTriggersDto, await rest('POST', `${TRIGGER}/retry`, { ids }), retried);
    await until(async () => (await triggers.find(user, ids[0] as string)).attemptCount === 3);
    const erased = await get(NotificationErasure).erase(user, { recordId: record.id });
    expect(erased).toEqual({ notifications: 1, triggers: 1, cancelled: 0 });
    await scene.delivered();
    const byRest = await rest('DELETE', `/v1/notification?user_id=${user}&record_id=${record.id}`);
    answers.same(WebhookErasedDto, byRest, erased);
    const { error, ...found } = await triggers.find(user, ids[0] as string);
    const { error: none, ...same } = await rest('GET', `${TRIGGER}?id=${ids[0]}`);
    expect({ error, body: found.requestData.body }).toEqual({ error: none, body: same.request_data.body });
  });

  it('with the body of the request as the exact text that was sent', async () => {
    const { user, triggers } = scene;
    await scene.create();
    const raw = `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":${EXACT}}`;
    const { id } = (await scene.call('POST', '/v1/notification', undefined, raw)).body.triggers[0];
    await until(async () => (await triggers.find(user, id)).end);
    const { requestData } = await triggers.find(user, id);
    expect(requestData.body).toContain(`"data":${EXACT}`);
    const sent = scene.receiver.requests.find(({ path }) => path === `/${user}`);
    expect(requestData.body).toBe(sent?.body.toString());
    expect((await scene.call('GET', `${TRIGGER}?id=${id}`)).text).toContain(`"body":${requestData.body}`);
  });

  it('in plain objects without anything sealed, hashed or internal', async () => {
    expect(answers.all.length).toBeGreaterThan(9);
    await scene.expectNothingInternal();
  });
});
