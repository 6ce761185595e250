import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { ApiKeyService, NotifierService, TriggerService, WebhookService } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { useReceiver } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { until } from '../support/until.js';
import { webhookModule } from './application.js';
import { useHost } from './use-host.js';

/** What JSON asks for, and an application may patch. */
const PATCHES = new Map<object, (this: object) => unknown>([
  [BigInt.prototype, () => 'a bigint'],
  // Each is written otherwise, and no two alike: mysql2 tells queries apart by such a text.
  [
    Array.prototype,
    function () {
      return { items: { ...this } };
    },
  ],
  [Map.prototype, () => 'a map'],
  [Set.prototype, () => 'a set'],
  [Date.prototype, () => 'a date'],
  [Buffer.prototype, () => 'a buffer'],
]);

/** Beyond 2^53, and rounded to another by `Number`. */
const SCORE = 2n ** 60n + 1n;

describe.each(databases)('on $name, in a host whose built-in prototypes have a toJSON of its own', (kind) => {
  const receiver = useReceiver();
  const host = useHost(kind, { webhooks: webhookModule({ delivery: { retryScheduleMs: [0] } }) });
  const own = new Map([...PATCHES.keys()].map((at) => [at, Object.getOwnPropertyDescriptor(at, 'toJSON')]));

  beforeAll(() => {
    for (const [prototype, value] of PATCHES)
      Object.defineProperty(prototype, 'toJSON', { value, configurable: true, writable: true });
  });
  afterAll(() => {
    for (const [prototype, before] of own)
      if (before) Object.defineProperty(prototype, 'toJSON', before);
      else Reflect.deleteProperty(prototype, 'toJSON');
  });

  it('nothing that is stored, compared, signed or sent is any different', async () => {
    const user = newUser();
    const filter = { score: { $gte: SCORE }, 'analysis.tags': { $in: ['a'] } };
    const webhook = await host.get(WebhookService).create(user, {
      name: 'w',
      url: receiver.url,
      headers: { 'X-Team': 'risk' },
      metadata: { team: 'risk' },
      events: [{ kind: 'RECORD_FINISHED', filter }],
    });
    const found = await host.get(WebhookService).find(user, webhook.id);
    expect(found).toMatchObject({ headers: { 'X-Team': 'risk' }, metadata: { team: 'risk' } });
    expect(found.events.map((event) => event.filter)).toEqual([filter]);

    const { key } = await host.get(ApiKeyService).create({ userId: user, scopes: ['notifications:write'] });
    const report = (score: bigint) =>
      host.call('POST', '/v1/notification', undefined, {
        key,
        raw: `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":{"id":"r","score":${score},"analysis":[{"id":"a","tags":["a"]}]}}`,
      });
    expect((await report(SCORE - 1n)).status).toBe(202);
    expect((await report(SCORE)).status).toBe(202);
    const [reported] = await receiver.waitFor(1);
    expect(String(reported?.body)).toContain(`"score":${SCORE},`);

    const plain = { id: 'r', score: 2 ** 61, analysis: [{ id: 'a', tags: ['a'] }] };
    // What these are in JSON is up to the application.
    const given = { ...plain, at: new Date(0), count: 7n };
    const notify = () =>
      host
        .get(NotifierService)
        .notify('record.finished', { user_id: user, record: given }, { idempotencyKey: 'k' });
    const accepted = await notify();
    expect((await notify()).id).toBe(accepted.id);
    const [, sent] = await receiver.waitFor(2);
    expect(JSON.parse(String(sent?.body)).data).toEqual({ ...plain, at: 'a date', count: 'a bigint' });

    const id = accepted.triggers[0]?.id ?? '';
    const triggers = host.get(TriggerService);
    await until(async () => (await triggers.find(user, id)).end);
    await triggers.retry(user, id);
    const requests = await receiver.waitFor(3);
    expect(requests[2]?.body).toEqual(sent?.body);
    for (const { body, headers } of requests)
      new Webhook(webhook.secret).verify(String(body), headers as Record<string, string>);
  });
});
