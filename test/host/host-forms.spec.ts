import { beforeAll, describe, expect, it } from '@jest/globals';
import { WebhookService } from '../../src/index.js';
import { expectProblem } from '../support/api.js';
import { SQLITE } from '../support/databases.js';
import { webhookModule } from './application.js';
import { ADAPTERS, useHost } from './use-host.js';

const WEBHOOK = '/v1/webhook';
const USER = 'ada';
const FORM = 'application/x-www-form-urlencoded';

describe.each(ADAPTERS)('cross-origin forms sent to a host with sessions and %s', (adapter) => {
  let id: string;
  const host = useHost(SQLITE, {
    adapter,
    webhooks: webhookModule({
      // A session cookie, which the browser attaches by itself.
      principal: ({ headers }) => (headers.cookie === `session=${USER}` ? { userId: USER } : null),
    }),
  });

  beforeAll(async () => {
    const mine = { name: 'mine', url: 'http://127.0.0.1:31151/' };
    ({ id } = await host.get(WebhookService).create(USER, mine));
  });

  const send = (method: string, raw: string | undefined, type: string, path = WEBHOOK) =>
    host.call(method, path, undefined, {
      headers: { cookie: `session=${USER}`, 'content-type': type },
      ...(raw === undefined ? {} : { raw }),
    });
  async function expectUnchanged(): Promise<void> {
    const { data } = await host.get(WebhookService).list(USER, { limit: 10 });
    expect(data).toMatchObject([{ id, name: 'mine' }]);
  }

  it.each([
    FORM,
    `${FORM}; charset=utf-8`,
    'multipart/form-data; boundary=x',
    'text/plain',
    'text/plain; application/json',
    'application/json-seq',
    'application/vnd.api+json',
    'application/json, text/plain',
  ])('are refused as %s', async (type) => {
    const form = 'name=theirs&url=http%3A%2F%2F127.0.0.1%3A31151%2F';
    const json = JSON.stringify({ name: 'theirs', url: 'http://127.0.0.1:31151/' });
    for (const raw of [form, json, `id=${id}`, JSON.stringify({ id })]) {
      const answer = await send('POST', raw, type);
      // When the host's parser refuses it, the host's filter answers.
      if ('host_error' in answer.body) expect(answer.body.host_error).toBe(415);
      else expectProblem(answer, 415, 'unsupported_media_type');
      expect(answer.status).toBe(415);
    }
    await expectUnchanged();
  });

  it('are refused without a body and with other methods as well', async () => {
    expect((await send('POST', undefined, FORM)).status).toBe(415);
    expect((await send('PATCH', `id=${id}&name=theirs`, FORM)).status).toBe(415);
    expect((await send('DELETE', 'a=b', FORM, `${WEBHOOK}?id=${id}`)).status).toBe(415);
    await expectUnchanged();
  });

  it.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])(
    'do not prevent requests of the type %s',
    async (type) => {
      const made = await send('POST', JSON.stringify({ name: 'w', url: 'http://127.0.0.1:31151/' }), type);
      expect(made.status).toBe(201);
      expect((await send('POST', JSON.stringify({ id: made.body.id }), type)).status).toBe(200);
    },
  );
});
