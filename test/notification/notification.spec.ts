import { beforeEach, describe, expect, it } from '@jest/globals';
import { DATE_TIME } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { newUser, notify } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('notifications on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver();
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const webhook = () => createWebhook(service, { user_id: user, url: `${receiver.url}/${user}` });
  const report = (raw: string) => service.call('POST', '/v1/notification', undefined, { raw });
  const arrived = async () => {
    await receiver.waitFor(() => receiver.at(`/${user}`).length > 0);
    return String(receiver.at(`/${user}`)[0]?.body);
  };

  it('answers 202 with the notification and a trigger for each webhook', async () => {
    const [first, second] = [await webhook(), await webhook()];
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

  it('sends exactly data, triggered_at and event_kind, the record character for character, and shows what it sent', async () => {
    await webhook();
    const record = [
      '{ "z":1,"10":2,"9":3 ,\r\n"id"\t:"ж"',
      '"n":[12345678901234567890,1e999,1.0,-0,0.1e-7]',
      '"\\u0061\\/":"\\u00e9\\ud83d\\n\\u0000"',
      '"näme":"日本語 🎉 e\u0301 \u2028"',
      '"__proto__":{"polluted":1},"constructor":2',
      '"a":1,"a":2',
      '"analysis" : [ { "id" : "ünï" } ,{"id":"b"}]}',
    ].join();
    const { body } = await report(`{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":${record}}`);
    expect(body.triggered_at).toMatch(DATE_TIME);
    const sent = `{"data":${record},"triggered_at":"${body.triggered_at}","event_kind":"RECORD_FINISHED"}`;
    expect(await arrived()).toBe(sent);
    const shown = await service.call('GET', `/v1/webhook/trigger?id=${body.triggers[0].id}`);
    expect(shown.text).toContain(`"body":${sent}`);
  });

  it('sends only the finished analysis for ANALYSIS_FINISHED, and analyses under one name', async () => {
    await webhook();
    const kind = '"event_kind":"ANALYSIS_FINISHED"';
    const record = '{"analyses":[{"id":"ana_1"}, {"n":1.0,"id":"ana_2"}],"id":"r","x":1}';
    const { body } = await report(`{${kind},"user_id":"${user}","analysis_id":"ana_2","record":${record}}`);
    const data = '{"analysis":[{"n":1.0,"id":"ana_2"}],"id":"r","x":1}';
    expect(await arrived()).toBe(`{"data":${data},"triggered_at":"${body.triggered_at}",${kind}}`);
  });

  it('accepts JSON with a byte order mark, any legal white space and escaped names', async () => {
    await webhook();
    const record = '{"id":"r","analysis":[ ]}';
    const raw = `\ufeff\r\n\t {\n"user_id" : "${user}" ,"rec\\u006frd":\n ${record}\n, "event_kind":"STATUS_CHANGED" } \n`;
    const { body } = await report(raw);
    expect(await arrived()).toBe(
      `{"data":${record},"triggered_at":"${body.triggered_at}","event_kind":"STATUS_CHANGED"}`,
    );
  });

  it('can be found with every trigger as soon as it is answered', async () => {
    for (let i = 0; i < 3; i++) await webhook();
    const found = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const { body } = await notify(service, user);
        const list = await service.call('GET', `/v1/webhook/trigger/list?notification_id=${body.id}`);
        return list.body.data.length;
      }),
    );
    expect(found).toEqual(Array(30).fill(3));
  });
});
