import { describe, expect, it } from '@jest/globals';
import { expectProblem, MASK } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

const CREDENTIALS = {
  Authorization: 'Bearer s3cret',
  cookie: 'sid=s3cret',
  'X-ToKeN-2': 's3cret',
  'my-SECRET': 's3cret',
  'X-Api-Key': 's3cret',
  'X-Password': 's3cret',
  'X-Hub-Signature': 's3cret',
};
const masked = (headers: object) => Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]));

describe.each(databases)('credentials in headers on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver('test');

  const update = (body: object) => service.call('PATCH', '/v1/webhook', body);

  /** The headers that the webhook's receiver gets, by lower-case name. */
  async function sentHeaders(id: string) {
    const before = receiver.requests.length;
    expect(await service.call('POST', '/v1/webhook/test', { id })).toMatchObject({ status: 202 });
    return (await receiver.waitFor(before + 1))[before]?.headers;
  }

  it('are masked in every answer, and sent unmasked', async () => {
    const headers = { ...CREDENTIALS, 'X-Team': 'risk', set: 'a', get: 'b' };
    const created = await createWebhook(service, { url: receiver.url, headers });
    expect(created.headers).toEqual({ ...headers, ...masked(CREDENTIALS) });
    const { id } = created;
    const answers = [
      await service.call('GET', `/v1/webhook?id=${id}`),
      await service.call('GET', '/v1/webhook/list'),
      await update({ id, name: 'x' }),
    ];
    for (const answer of answers) expect(answer.text).not.toContain('s3cret');
    await sentHeaders(id);
    expect(receiver.requests[0]?.rawHeaders).toEqual(expect.arrayContaining(Object.entries(headers).flat()));
  });

  it('are kept when an update sends the mask back', async () => {
    const { id } = await createWebhook(service, { url: receiver.url, headers: CREDENTIALS });
    const answer = await update({ id, headers: { ...masked(CREDENTIALS), 'X-Team': 'new' } });
    expect(answer.body.headers).toEqual({ ...masked(CREDENTIALS), 'X-Team': 'new' });
    expect(await sentHeaders(id)).toMatchObject({ 'x-team': 'new', authorization: 'Bearer s3cret' });

    await update({ id, headers: { AUTHORIZATION: MASK } });
    const sent = await sentHeaders(id);
    expect(sent).toMatchObject({ authorization: 'Bearer s3cret' });
    expect(sent).not.toHaveProperty('cookie');
    expect(sent).not.toHaveProperty('x-team');

    await update({ id, headers: { Authorization: 'Bearer other' } });
    expect(await sentHeaders(id)).toMatchObject({ authorization: 'Bearer other' });
  });

  it('are refused as masks when no value is stored', async () => {
    const headers = { Authorization: MASK, 'X~Token': MASK, 'X-Team': MASK };
    const pointers = ['/headers/Authorization', '/headers/X~0Token'];
    const created = await service.call('POST', '/v1/webhook', webhookBody({ headers }));
    expectProblem(created, 400, 'validation_failed', pointers);

    const { id } = await createWebhook(service, { headers: { 'X-Api-Key': 'x' } });
    expectProblem(await update({ id, headers }), 400, 'validation_failed', pointers);
    await update({ id, headers: {} });
    const gone = await update({ id, headers: { 'X-Api-Key': MASK } });
    expectProblem(gone, 400, 'validation_failed', ['/headers/X-Api-Key']);
    // In other headers it is a plain value.
    await update({ id, url: receiver.url, headers: { 'X-Team': MASK } });
    expect(await sentHeaders(id)).toMatchObject({ 'x-team': MASK });
  });

  describe('when the URL changes its origin', () => {
    const OTHER = 'http://127.0.0.1:49152/hooks';
    const TWO = { Authorization: 'Bearer s3cret', 'X-Api-Key': 's3cret', 'X-Team': 'risk' };
    const pointers = ['/headers/Authorization', '/headers/X-Api-Key'];
    const withTwo = () => createWebhook(service, { url: receiver.url, headers: TWO });

    it.each([
      ['even if one is sent as its mask', { ...TWO, 'X-Api-Key': MASK }, ['/headers/X-Api-Key']],
      ['under another spelling of the name', { X_api_KEY: MASK }, ['/headers/X_api_KEY']],
    ])('are not kept %s', async (_how, headers, named) => {
      const { id } = await withTwo();
      const answer = await update({ id, url: OTHER, name: 'new', headers });
      expectProblem(answer, 400, 'credentials_required', named);
      const { body } = await service.call('GET', `/v1/webhook?id=${id}`);
      expect(body).toMatchObject({ url: receiver.url, name: 'CRM sync' });
      expect(await sentHeaders(id)).toMatchObject({ authorization: 'Bearer s3cret' });
    });

    it.each([
      ['scheme', (url: string) => url.replace('http:', 'https:')],
      ['host', (url: string) => url.replace('127.0.0.1', '127.0.0.2')],
      ['port', () => OTHER],
    ])('are required again for another %s', async (_what, change) => {
      const { id } = await withTwo();
      expectProblem(await update({ id, url: change(receiver.url) }), 400, 'credentials_required', pointers);
    });

    it('are kept within the same origin, and can be given again or left out for another', async () => {
      const { id } = await withTwo();
      for (const url of [`${receiver.url}/other?a=b`, receiver.url.replace('http', 'HTTP')])
        expect(await update({ id, url })).toMatchObject({ status: 200 });
      expect(await sentHeaders(id)).toMatchObject({ authorization: 'Bearer s3cret' });
      const headers = { Authorization: 'Bearer new', 'X-Team': 'risk' };
      expect(await update({ id, url: OTHER, headers })).toMatchObject({ status: 200, body: { url: OTHER } });
      // None of those that are left is masked.
      expect(await update({ id, headers: { 'X-Team': 'risk' } })).toMatchObject({ status: 200 });
      expect(await update({ id, url: receiver.url })).toMatchObject({ status: 200 });
      expect(await sentHeaders(id)).not.toHaveProperty('authorization');
    });

    it('never reach the new origin through a simultaneous update', async () => {
      for (const _ of [1, 2, 3, 4, 5]) {
        const { id } = await createWebhook(service, { url: receiver.url });
        const [given, moved] = await Promise.all([update({ id, headers: TWO }), update({ id, url: OTHER })]);
        // The second update sees the result of the first.
        expect(given.status).toBe(200);
        if (moved.status !== 200) expectProblem(moved, 400, 'credentials_required', pointers);
        const { body } = await service.call('GET', `/v1/webhook?id=${id}`);
        expect(body.url).toBe(moved.status === 200 ? OTHER : receiver.url);
      }
    });
  });
});
