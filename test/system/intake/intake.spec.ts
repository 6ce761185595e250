import { expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser, record } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';
import { reportOf, stored } from './scene.js';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describeWithRabbitmq.each(databases)('the intake on $name', (kind) => {
  const receiver = useReceiver('test');
  const broker = useBroker('block');
  const service = useService(kind, () => broker.env);

  async function subscribed(): Promise<string> {
    const userId = newUser();
    await createWebhook(service, { user_id: userId, url: `${receiver.url}/hooks` });
    return userId;
  }
  async function delivered() {
    const [request] = await receiver.waitFor(1);
    const text = String(request?.body);
    return { headers: request?.headers, text, body: JSON.parse(text) };
  }

  it('delivers what is reported as to POST /v1/notification, and tells of it in metrics and readiness', async () => {
    await broker.send(reportOf(await subscribed()));
    expect(await delivered()).toMatchObject({
      body: { event_kind: 'RECORD_FINISHED', data: record },
      headers: { 'webhook-hops': '1' },
    });
    await broker.holds(0);
    const { text } = await service.call('GET', '/metrics');
    expect(text).toMatch(/^webhook_intake_connected 1$/m);
    expect(text).toMatch(/^webhook_intake_messages_total\{outcome="stored"\} [1-9]/m);
    const { body } = await service.call('GET', '/health/ready');
    expect(body.checks).toMatchObject({ intake: 'consuming' });
  });

  it.each([
    ['analysis.finished', 'ANALYSIS_FINISHED', { analysis_id: 'ana_2' }, [{ id: 'ana_2' }]],
    ['record.finished', 'RECORD_FINISHED', {}, record.analysis],
    ['record.status_changed', 'STATUS_CHANGED', {}, record.analysis],
  ])('delivers what a Nest client emits as %s', async (pattern, event_kind, more, analysis) => {
    const user_id = await subscribed();
    await broker.send({ pattern, data: { user_id, record, ...more } });
    expect((await delivered()).body).toMatchObject({ event_kind, data: { analysis } });
  });

  it.each([
    ['', ''],
    ['{"pattern":"record.finished","data":', '}'],
  ])('keeps the order of keys and long numbers: %s…', async (before, after) => {
    const userId = await subscribed();
    const source = '{"z":12345678901234567890,"id":"r","1":1.10,"analysis":[],"a":"\\u00e9"}';
    const kind = before === '' ? '"event_kind":"RECORD_FINISHED",' : '';
    await broker.send(`\uFEFF${before}{${kind}"record": ${source} ,"user_id":"${userId}"}${after}`);
    expect((await delivered()).text).toContain(`{"data":${source},`);
  });

  it.each([
    ['texts and numbers', { TraceParent: TRACEPARENT, 'webhook-hops': 2 }],
    ['bytes', { traceparent: Buffer.from(TRACEPARENT), 'webhook-hops': Buffer.from('2') }],
  ])('passes on the trace and the hops, given as %s', async (_, headers) => {
    await broker.send(reportOf(await subscribed()), { headers });
    expect((await delivered()).headers).toMatchObject({ traceparent: TRACEPARENT, 'webhook-hops': '3' });
  });

  it('stores a message once, however often it comes', async () => {
    const userId = await subscribed();
    const messageId = await broker.send(reportOf(userId));
    await receiver.waitFor(1);
    for (let again = 0; again < 20; again++) await broker.send(reportOf(userId), { messageId });
    await broker.send(reportOf(userId, 'last'));
    await receiver.waitFor(2);
    expect(await stored(service, userId)).toHaveLength(2);
  });

  it('keeps the ids of users apart, and those of the REST API', async () => {
    const [one, other] = [await subscribed(), await subscribed()];
    const messageId = `1-${one}`;
    await broker.send(reportOf(one), { messageId });
    await broker.send(reportOf(other), { messageId });
    const headers = { 'idempotency-key': messageId };
    const answer = await service.call('POST', '/v1/notification', reportOf(one), { headers });
    expect(answer.status).toBe(202);
    await receiver.waitFor(3);
    expect([(await stored(service, one)).length, (await stored(service, other)).length]).toEqual([2, 1]);
  });
});
