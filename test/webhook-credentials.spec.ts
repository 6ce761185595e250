import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createWebhook, expectProblem, MASK, webhookBody } from './support/api.js';
import { databases, type TestDatabase } from './support/databases.js';
import { type Receiver, startReceiver } from './support/receiver.js';
import { startService, type TestService } from './support/service.js';

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
  let database: TestDatabase;
  let service: TestService;
  let receiver: Receiver;

  beforeAll(async () => {
    database = await kind.create();
    service = await startService(database.url);
  });
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const update = (body: object) => service.call('PATCH', '/v1/webhook', body);

  /** The headers that the webhook's receiver gets, by lower-case name. */
  async function sentHeaders(id: string) {
    const before = receiver.requests.length;
    expect(await service.call('POST', '/v1/webhook/test', { id })).toMatchObject({ status: 202 });
    return (await receiver.waitFor(before + 1))[before]?.headers;
  }

  it('are masked in every answer, and sent as they are', async () => {
    const headers = { ...CREDENTIALS, 'X-Team': 'risk' };
    const created = await createWebhook(service, { url: receiver.url, headers });
    expect(created.headers).toEqual({ ...masked(CREDENTIALS), 'X-Team': 'risk' });
    const { id } = created;
    const answers = [
      await service.call('GET', `/v1/webhook?id=${id}`),
      await service.call('GET', '/v1/webhook/list'),
      await update({ id, name: 'x' }),
    ];
    for (const answer of answers) expect(answer.text).not.toContain('s3cret');
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    expect(await sentHeaders(id)).toMatchObject(Object.fromEntries(lower));
  });

  it('stay where an update sends the mask back', async () => {
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

  it('cannot be masked where nothing is stored', async () => {
    const headers = { Authorization: MASK, 'X~Token': MASK, 'X-Team': MASK };
    const pointers = ['/headers/Authorization', '/headers/X~0Token'];
    const created = await service.call('POST', '/v1/webhook', webhookBody({ headers }));
    expectProblem(created, 400, 'validation_failed', pointers);

    const { id } = await createWebhook(service, { headers: { 'X-Api-Key': 'x' } });
    expectProblem(await update({ id, headers }), 400, 'validation_failed', pointers);
    await update({ id, headers: {} });
    const gone = await update({ id, headers: { 'X-Api-Key': MASK } });
    expectProblem(gone, 400, 'validation_failed', ['/headers/X-Api-Key']);
  });

  it('leave the mask a plain value in other headers', async () => {
    const { id } = await createWebhook(service, { url: receiver.url, headers: { 'X-Team': MASK } });
    expect(await sentHeaders(id)).toMatchObject({ 'x-team': MASK });
  });
});
