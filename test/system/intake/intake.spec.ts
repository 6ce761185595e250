import { expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser, record } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';

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
  const stored = async (userId: string): Promise<string[]> => {
    const { body } = await service.call('GET', `/v1/notification/list?user_id=${userId}`);
    return body.data.map(({ id }: { id: string }) => id);
  };
  const unacknowledged = async () => {
    // The broker counts what is ready only; what was not acknowledged is ready once the consumer is gone.
    await until(async () => (await broker.ready()) === 0, { what: 'an empty queue' });
  };

  it('delivers what is reported as to POST /v1/notification', async () => {
    const userId = await subscribed();
    await broker.send({ event_kind: 'RECORD_FINISHED', user_id: userId, record });
    const [request] = await receiver.waitFor(1);
    expect(JSON.parse(String(request?.body))).toMatchObject({ event_kind: 'RECORD_FINISHED', data: record });
    expect(request?.headers['webhook-hops']).toBe('1');
    await unacknowledged();
  });

  it.each([
    ['analysis.finished', 'ANALYSIS_FINISHED', { analysis_id: 'ana_2' }],
    ['record.finished', 'RECORD_FINISHED', {}],
    ['record.status_changed', 'STATUS_CHANGED', {}],
  ])('delivers what a Nest client emits as %s', async (pattern, eventKind, more) => {
    const userId = await subscribed();
    await broker.send({ pattern, data: { user_id: userId, record, ...more } });
    const [request] = await receiver.waitFor(1);
    const { event_kind, data } = JSON.parse(String(request?.body));
    expect([event_kind, data.analysis]).toEqual([
      eventKind,
      'analysis_id' in more ? [{ id: 'ana_2' }] : record.analysis,
    ]);
  });

  it.each([
    ['', ''],
    ['{"pattern":"record.finished","data":', '}'],
  ])('keeps the order of keys and long numbers: %s…', async (before, after) => {
    const userId = await subscribed();
    const source = '{"z":12345678901234567890,"id":"r","1":1.10,"analysis":[],"a":"\\u00e9"}';
    const kind = before === '' ? '"event_kind":"RECORD_FINISHED",' : '';
    await broker.send(`\uFEFF${before}{${kind}"record": ${source} ,"user_id":"${userId}"}${after}`);
    const [request] = await receiver.waitFor(1);
    expect(String(request?.body)).toContain(`{"data":${source},`);
  });

  it.each([
    ['texts and numbers', { TraceParent: TRACEPARENT, 'webhook-hops': 2 }],
    ['bytes', { traceparent: Buffer.from(TRACEPARENT), 'webhook-hops': Buffer.from('2') }],
  ])('passes on the trace and the hops, given as %s', async (_, headers) => {
    const userId = await subscribed();
    await broker.send({ event_kind: 'RECORD_FINISHED', user_id: userId, record }, { headers });
    const [request] = await receiver.waitFor(1);
    expect(request?.headers).toMatchObject({ traceparent: TRACEPARENT, 'webhook-hops': '3' });
  });

  it('stores a message once, however often it comes', async () => {
    const userId = await subscribed();
    const report = { event_kind: 'RECORD_FINISHED', user_id: userId, record };
    const messageId = await broker.send(report);
    await receiver.waitFor(1);
    for (let again = 0; again < 20; again++) await broker.send(report, { messageId });
    await broker.send({ ...report, record: { id: 'last', analysis: [] } });
    await receiver.waitFor(2);
    expect(await stored(userId)).toHaveLength(2);
  });

  it('keeps the ids of users apart, and those of the REST API', async () => {
    const [one, other] = [await subscribed(), await subscribed()];
    const report = (user_id: string) => ({ event_kind: 'RECORD_FINISHED', user_id, record });
    await broker.send(report(one), { messageId: `1-${one}` });
    await broker.send(report(other), { messageId: `1-${one}` });
    const headers = { 'idempotency-key': `1-${one}` };
    const answer = await service.call('POST', '/v1/notification', report(one), { headers });
    expect(answer.status).toBe(202);
    await receiver.waitFor(3);
    expect([(await stored(one)).length, (await stored(other)).length]).toEqual([2, 1]);
  });

  it('tells of it in metrics and readiness', async () => {
    const userId = await subscribed();
    await broker.send({ event_kind: 'RECORD_FINISHED', user_id: userId, record });
    await receiver.waitFor(1);
    const { text } = await service.call('GET', '/metrics');
    expect(text).toMatch(/^webhook_intake_connected 1$/m);
    expect(text).toMatch(/^webhook_intake_messages_total\{outcome="stored"\} [1-9]/m);
    const { body } = await service.call('GET', '/health/ready');
    expect(body.checks).toMatchObject({ intake: 'consuming' });
  });
});
