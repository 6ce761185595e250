import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { newUser, notify, record } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe.each(databases)('notifications on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver();
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const url = () => `${receiver.url}/${user}`;
  const own = () => receiver.requests.filter(({ path }) => path === `/${user}`);

  async function arrived(count: number) {
    await receiver.waitFor(() => own().length >= count);
    return own();
  }

  /** Notifies with a record of this JSON source. @returns the received request and the answer to the notifier. */
  async function sent(recordText: string, more: Record<string, unknown> = {}) {
    await createWebhook(service, { user_id: user, url: url() });
    const others = JSON.stringify({ event_kind: 'RECORD_FINISHED', user_id: user, ...more }).slice(1, -1);
    const raw = `{${others},"record":${recordText}}`;
    const answer = await service.call('POST', '/v1/notification', undefined, { raw });
    expect(answer).toMatchObject({ status: 202 });
    const [request] = await arrived(1);
    return { text: request?.body.toString('utf8') ?? '', answer, request };
  }
  const payload = (data: string, at: string, event = 'RECORD_FINISHED') =>
    `{"data":${data},"triggered_at":"${at}","event_kind":"${event}"}`;

  it('answers 202 with the notification and a trigger for each webhook', async () => {
    const first = await createWebhook(service, { user_id: user, url: url() });
    const second = await createWebhook(service, { user_id: user, url: url() });
    const { status, body } = await notify(service, user);
    expect(status).toBe(202);
    expect(body).toEqual({
      id: expect.any(String),
      event_kind: 'RECORD_FINISHED',
      triggered_at: expect.stringMatching(DATE_TIME),
      triggers: [
        { id: expect.any(String), webhook_id: first.id },
        { id: expect.any(String), webhook_id: second.id },
      ],
    });
  });

  it('sends exactly data, triggered_at and event_kind, in this order', async () => {
    const { text, answer } = await sent(JSON.stringify(record));
    expect(text).toBe(payload(JSON.stringify(record), answer.body.triggered_at));
    expect(answer.body.triggered_at).toMatch(DATE_TIME);
  });

  it.each(['RECORD_FINISHED', 'STATUS_CHANGED'])('sends all analyses for %s', async (event_kind) => {
    const { text } = await sent(JSON.stringify(record), { event_kind });
    expect(JSON.parse(text)).toMatchObject({ data: record, event_kind });
  });

  it('sends only the finished analysis for ANALYSIS_FINISHED', async () => {
    const more = { event_kind: 'ANALYSIS_FINISHED', analysis_id: 'ana_2' };
    const { text, answer } = await sent(
      '{"id":"r","analysis":[{"id":"ana_1"}, {"n":1.0,"id":"ana_2"}],"x":1}',
      more,
    );
    expect(text).toBe(
      payload(
        '{"id":"r","analysis":[{"n":1.0,"id":"ana_2"}],"x":1}',
        answer.body.triggered_at,
        'ANALYSIS_FINISHED',
      ),
    );
  });

  it.each([
    [
      'analyses under its other name',
      '{"analyses":[{"id":"a"}],"id":"r"}',
      '{"analysis":[{"id":"a"}],"id":"r"}',
    ],
    ['no analyses', '{"id":"r","analysis":[]}', null],
    ['keys in their order, numbers too', '{"z":1,"10":2,"9":3,"id":"r","a":4,"analysis":[]}', null],
    ['numbers as written', '{"id":"r","n":[12345678901234567890,1e999,1.0,-0,0.1e-7],"analysis":[]}', null],
    ['escapes as written', '{"id":"r","\\u0061\\/":"\\u00e9\\ud83d\\n\\u0000","analysis":[]}', null],
    ['any script', '{"id":"ж","näme":"日本語 🎉 e\u0301 \u2028","analysis":[{"id":"ünï"}]}', null],
    ['__proto__', '{"id":"r","__proto__":{"polluted":1},"constructor":2,"analysis":[]}', null],
    ['repeated other keys', '{"id":"r","a":1,"a":2,"analysis":[]}', null],
    ['white space', '{ "id"\t:\r\n"r" ,\n"analysis" : [ { "id" : "a" } ] }', null],
  ])('keeps %s', async (_what, given, wanted) => {
    const { text, answer } = await sent(given);
    expect(text).toBe(payload(wanted ?? given, answer.body.triggered_at));
  });

  it('accepts JSON with any legal white space and with escaped names', async () => {
    await createWebhook(service, { user_id: user, url: url() });
    const raw = `\r\n\t {\n"user_id" : "${user}" ,"rec\\u006frd":\n {"id":"r","analysis":[ ]}\n, "event_kind":"STATUS_CHANGED" } \n`;
    const answer = await service.call('POST', '/v1/notification', undefined, { raw });
    expect(answer).toMatchObject({ status: 202 });
    const [request] = await arrived(1);
    expect(request?.body.toString()).toBe(
      payload('{"id":"r","analysis":[ ]}', answer.body.triggered_at, 'STATUS_CHANGED'),
    );
  });

  it('accepts a body with a byte order mark', async () => {
    await createWebhook(service, { user_id: user, url: url() });
    const raw = `\ufeff{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":{"id":"r","analysis":[]}}`;
    const answer = await service.call('POST', '/v1/notification', undefined, { raw });
    expect(answer).toMatchObject({ status: 202 });
  });

  it('shows the body exactly as it was sent', async () => {
    const data = '{"id":"r","n":12345678901234567890,"analysis":[]}';
    const { answer } = await sent(data);
    const { id } = answer.body.triggers[0];
    const shown = await service.call('GET', `/v1/webhook/trigger?id=${id}`);
    expect(shown.text).toContain(`"body":${payload(data, answer.body.triggered_at)}`);
  });

  it('can be found with every trigger as soon as it is answered', async () => {
    for (let i = 0; i < 3; i++) await createWebhook(service, { user_id: user, url: url() });
    const answers = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const { body } = await notify(service, user);
        return Promise.all(
          body.triggers.map(async ({ id }: { id: string }) => {
            const found = await service.call('GET', `/v1/webhook/trigger?id=${id}`);
            return found.body.code ?? found.body.notification_id === body.id;
          }),
        );
      }),
    );
    expect(answers.flat()).toEqual(Array(90).fill(true));
  });

  it('creates no trigger without a subscriber', async () => {
    expect(await notify(service, user)).toMatchObject({ status: 202, body: { triggers: [] } });
  });

  it('skips disabled webhooks, disabled events, other kinds and other users', async () => {
    await createWebhook(service, { user_id: user, url: url(), enabled: false });
    await createWebhook(service, {
      user_id: user,
      url: url(),
      events: [{ kind: 'RECORD_FINISHED', enabled: false }],
    });
    await createWebhook(service, { user_id: user, url: url(), events: ['STATUS_CHANGED'] });
    await createWebhook(service, { user_id: user.toUpperCase(), url: url() });
    expect(await notify(service, user)).toMatchObject({ status: 202, body: { triggers: [] } });
  });

  it('accepts 1 MiB and not a byte more', async () => {
    await createWebhook(service, { user_id: user, url: url() });
    const start = `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":{"id":"r","analysis":[],"x":"`;
    const fill = (bytes: number) => `${start}${'x'.repeat(bytes - start.length - 3)}"}}`;
    const post = (bytes: number) => service.call('POST', '/v1/notification', undefined, { raw: fill(bytes) });
    expect(await post(1024 * 1024)).toMatchObject({ status: 202 });
    expect(await post(1024 * 1024 + 1)).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    const [request] = await arrived(1);
    expect(JSON.parse(request?.body.toString() ?? '')).toMatchObject({ event_kind: 'RECORD_FINISHED' });
  });
});
