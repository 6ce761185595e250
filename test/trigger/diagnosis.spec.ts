import { beforeEach, describe, expect, it } from '@jest/globals';
import { TriggerService } from '../../src/trigger/trigger.service.js';
import { databases } from '../support/databases.js';
import type { FaultName } from '../support/faults.js';
import { useReceiver, useService } from '../support/fixture.js';
import { type ReceiverOptions, type Reply, startReceiver } from '../support/receiver.js';
import { newUser, trigger, triggerWhen } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('the diagnosis of a failure on $name', (kind) => {
  const service = useService(kind, {
    DELIVERY_TIMEOUT_MS: '3000',
    RETRY_SCHEDULE_SECONDS: '3600',
    ALLOW_PRIVATE_NETWORK: 'false',
    ALLOWED_NETWORKS: '127.0.0.0/8',
  });
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  /** The first attempt of a trigger at this URL. */
  async function failureAt(url: string) {
    await createWebhook(service, { user_id: user, url });
    return firstAttempt();
  }
  const firstAttempt = async () =>
    triggerWhen(service, await trigger(service, user), ({ attempt_count }) => attempt_count === 1);
  function failureOf(responder: Reply | FaultName) {
    receiver.respondWith(responder);
    return failureAt(receiver.url);
  }
  async function failureWith(options: ReceiverOptions) {
    const secure = await startReceiver(options);
    const found = await failureAt(secure.url.replace('http:', 'https:'));
    await secure.close();
    return found;
  }

  it('is null for a success', async () => {
    expect(await failureOf({})).toMatchObject({ diagnosis: null, attempts: [{ diagnosis: null }] });
  });

  it('is the same for the trigger and its last attempt, in lists and by the service', async () => {
    const { id, diagnosis, attempts } = await failureOf({ status: 401 });
    expect(diagnosis).toEqual({
      summary: 'The receiver answered 401: it does not accept the request as authentic.',
      advice: expect.stringMatching(/verifies the signature/),
    });
    expect(attempts[0].diagnosis).toEqual(diagnosis);
    const list = await service.call('GET', `/v1/webhook/trigger/list?user_id=${user}`);
    expect(list.body.data).toMatchObject([{ id, diagnosis }]);
    const own = await service.get(TriggerService).find(user, id);
    expect(own).toMatchObject({ diagnosis, attempts: [{ diagnosis }] });
  });

  it.each<[string, Reply | FaultName, RegExp, RegExp]>([
    ['404', { status: 404 }, /404: nothing is there/, /path of the URL/],
    ['503', { status: 503, headers: { 'Retry-After': '9' } }, /503.*asked to wait/, /schedule/],
    ['a redirect', { status: 301, headers: { Location: '/new' } }, /answered 301/, /slash/],
    [
      'a redirect to a URL',
      { status: 308, headers: { Location: 'https://me:pw@new.example.com/hooks?token=s3cret#x' } },
      /answered 308 and pointed to https:\/\/new\.example\.com\/hooks\?\*{8};/,
      /^Change the URL of the webhook to https:\/\/new\.example\.com\/hooks\?\*{8}\.$/,
    ],
    ['no answer', 'silent', /did not answer before the deadline/, /from a queue/],
    ['a closed connection', 'reset', /closed before an answer/, /log/],
    ['garbage', 'garbage', /not valid HTTP/, /HTTP\/1\.1/],
  ])('explains %s', async (_what, responder, summary, advice) => {
    const { diagnosis } = await failureOf(responder);
    expect(diagnosis).toEqual({
      summary: expect.stringMatching(summary),
      advice: expect.stringMatching(advice),
    });
  });

  it.each([
    [
      'that nothing listens',
      'http://127.0.0.1:49151/',
      /^Nothing accepted the connection to 127\.0\.0\.1\.$/,
    ],
    ['a name that does not resolve', 'http://no-such-host.invalid:8080/', /no-such-host\.invalid/],
  ])('explains %s', async (_what, url, summary) => {
    expect((await failureAt(url)).diagnosis.summary).toMatch(summary);
  });

  it('names the day on which a certificate expired', async () => {
    const { error, diagnosis } = await failureWith({ tls: 'expired' });
    expect(error).toEqual({ code: 'tls', message: 'The TLS certificate has expired.' });
    expect(diagnosis).toEqual({
      summary: 'The TLS certificate of 127.0.0.1 expired on 2020-01-02.',
      advice: expect.stringMatching(/^Renew it/),
    });
  });

  it.each<[string, ReceiverOptions, RegExp]>([
    ['a self-signed certificate', { tls: 'valid' }, /^The TLS certificate of 127\.0\.0\.1 is self-signed\.$/],
    ['https at a port without TLS', {}, /^127\.0\.0\.1 does not speak TLS at this port\.$/],
    ['the phase that took too long', { tls: 'stuck' }, /^The TLS handshake with 127\.0\.0\.1 was not done/],
  ])('explains %s', async (_what, options, summary) => {
    const { diagnosis } = await failureWith(options);
    expect(diagnosis.summary).toMatch(summary);
  });

  it('tells the operator of faults of the service', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: receiver.url });
    await service.query(`UPDATE webhook SET sealed_secret = 'x' WHERE id = ?`, [id]);
    const found = await firstAttempt();
    expect(found).toMatchObject({
      error: { code: 'internal' },
      diagnosis: { advice: expect.stringMatching(/^Nothing is wrong with your receiver/) },
    });
  });
});
