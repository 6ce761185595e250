import { beforeAll, describe, expect, it } from '@jest/globals';
import { WebhookModule, WebhookService } from '../../src/index.js';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { HOST_KEYS } from '../support/host.js';
import { useHost } from './use-host.js';

const WEBHOOK = '/v1/webhook';
const USER = 'ada';

const FORMS = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=utf-8',
  'multipart/form-data; boundary=x',
  'text/plain',
  'text/plain; application/json',
  'application/json-seq',
  'application/vnd.api+json',
  'application/json, text/plain',
];

describe.each(databases)('cross-origin forms sent to a host with sessions, on $name', (kind) => {
  describe.each(['Express', 'Fastify'] as const)('with %s', (adapter) => {
    let id: string;
    const host = useHost(kind, {
      adapter,
      webhooks: WebhookModule.forRoot({
        // A session cookie, which the browser attaches by itself.
        principal: ({ headers }) => (headers.cookie === `session=${USER}` ? { userId: USER } : null),
        encryptionKeys: HOST_KEYS,
        egress: { allowPrivateNetwork: true },
      }),
    });

    beforeAll(async () => {
      const webhooks = host.app.get(WebhookService, { strict: false });
      id = (await webhooks.create(USER, { name: 'mine', url: 'http://127.0.0.1:49151/' })).id;
    });

    const headers = (type: string) => ({ cookie: `session=${USER}`, 'content-type': type });
    const send = (method: string, raw: string | undefined, type: string) =>
      host.call(method, WEBHOOK, undefined, {
        headers: headers(type),
        ...(raw === undefined ? {} : { raw }),
      });
    const mine = async () =>
      (await host.call('GET', `${WEBHOOK}/list`, undefined, { headers: { cookie: `session=${USER}` } })).body
        .data;

    it.each(FORMS)('are refused as %s', async (type) => {
      const form = 'name=theirs&url=http%3A%2F%2F127.0.0.1%3A49151%2F';
      const json = JSON.stringify({ name: 'theirs', url: 'http://127.0.0.1:49151/' });
      for (const raw of [form, json, `id=${id}`, JSON.stringify({ id })]) {
        const answer = await send('POST', raw, type);
        // When the host's parser refuses it, the host's filter answers.
        if ('host_error' in answer.body) expect(answer.body.host_error).toBe(415);
        else expectProblem(answer, 415, 'unsupported_media_type');
        expect(answer.status).toBe(415);
      }
      expect(await mine()).toMatchObject([{ id, name: 'mine' }]);
    });

    it('are refused without a body and with other methods as well', async () => {
      expect((await send('POST', undefined, 'application/x-www-form-urlencoded')).status).toBe(415);
      expect((await send('PATCH', `id=${id}&name=theirs`, 'application/x-www-form-urlencoded')).status).toBe(
        415,
      );
      const path = `${WEBHOOK}?id=${id}`;
      const form = headers('application/x-www-form-urlencoded');
      const deleted = await host.call('DELETE', path, undefined, { headers: form, raw: 'a=b' });
      expect(deleted.status).toBe(415);
      expect(await mine()).toMatchObject([{ id, name: 'mine' }]);
    });

    it('do not prevent JSON requests', async () => {
      for (const type of [
        'application/json',
        'Application/JSON; charset=UTF-8',
        'application/json;charset="utf-8"',
      ]) {
        const raw = JSON.stringify({ name: type, url: 'http://127.0.0.1:49151/' });
        const made = await send('POST', raw, type);
        expect(made.status).toBe(201);
        expect((await send('POST', JSON.stringify({ id: made.body.id }), type)).status).toBe(200);
      }
    });
  });
});
