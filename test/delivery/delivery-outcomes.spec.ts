import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import type { FaultName } from '../support/faults.js';
import { useReceiver, useService } from '../support/fixture.js';
import type { Reply } from '../support/receiver.js';
import { attempted, finished, newUser, trigger } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const KEPT = 16 * 1024;

const settings = {
  DELIVERY_TIMEOUT_MS: '3000',
  RETRY_SCHEDULE_SECONDS: '3600',
  ALLOW_PRIVATE_NETWORK: 'false',
  ALLOWED_NETWORKS: '127.0.0.0/8',
};

describe.each(databases)('the outcome of an attempt on $name', (kind) => {
  const service = useService(kind, settings);
  const receiver = useReceiver('test');
  const selfSigned = useReceiver('test', { tls: 'valid' });
  const expired = useReceiver('test', { tls: 'expired' });
  const stuck = useReceiver('test', { tls: 'stuck' });
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  async function outcomeAt(url: string) {
    await createWebhook(service, { user_id: user, url });
    return attempted(service, await trigger(service, user));
  }
  function outcomeOf(responder: Reply | FaultName) {
    receiver.respondWith(responder);
    return outcomeAt(receiver.url);
  }
  const elsewhere = 'https://me:pw@new.example.com/hooks?token=s3cret#x';

  it.each<[string, Reply | FaultName, RegExp, RegExp]>([
    ['connection_reset', 'reset', /closed before an answer/, /log/],
    ['connection_reset', 'close-in-headers', /closed before an answer/, /log/],
    [
      'http_status',
      { status: 401 },
      /401: it does not accept the request as authentic\.$/,
      /verifies the sig/,
    ],
    ['http_status', { status: 404 }, /404: nothing is there/, /path of the URL/],
    ['http_status', { status: 503, headers: { 'Retry-After': '9' } }, /503.*asked to wait/, /schedule/],
    ['redirect', { status: 301 }, /answered 301; /, /slash/],
    ['redirect', { status: 301, headers: { Location: 'http://' } }, /answered 301; /, /slash/],
    [
      'redirect',
      { status: 302, headers: { Location: '/new/' } },
      /302 and pointed to http:.*:\d+\/new\/;/,
      /\/new\/\.$/,
    ],
    [
      'redirect',
      { status: 307, headers: { Location: 'next' } },
      /307 and/,
      /URL of the webhook to http:.*:\d+\/next\.$/,
    ],
    ['redirect', { status: 308, headers: { Location: '?v=2' } }, /308 and/, /:\d+\/.*\?\*{8}\.$/],
    [
      'redirect',
      { status: 308, headers: { Location: '//new.example.com/a' } },
      /308 and/,
      /to http:\/\/new\.example\.com\/a\.$/,
    ],
    [
      'redirect',
      { status: 308, headers: { Location: elsewhere } },
      /answered 308 and pointed to https:\/\/new\.example\.com\/hooks\?\*{8};/,
      /^Change the URL of the webhook to https:\/\/new\.example\.com\/hooks\?\*{8}\.$/,
    ],
    ['invalid_response', 'garbage', /not valid HTTP/, /HTTP\/1\.1/],
    ['invalid_response', 'broken-chunk', /not valid HTTP/, /HTTP\/1\.1/],
    ['response_too_large', 'endless-headers', /^The headers of the answer are too large/, /\w/],
    ['timeout', 'silent', /did not answer before the deadline/, /from a queue/],
  ])('is %s for %j, with a diagnosis', async (code, responder, summary, advice) => {
    const found = await outcomeOf(responder);
    expect(found).toMatchObject({
      status: 'PENDING',
      error: { code, message: expect.any(String) },
      diagnosis: { summary: expect.stringMatching(summary), advice: expect.stringMatching(advice) },
    });
    const { id, error, diagnosis } = found;
    expect(found.attempts).toMatchObject([{ error, diagnosis }]);
    const list = await service.call('GET', `/v1/webhook/trigger/list?user_id=${user}`);
    expect(list.body.data).toMatchObject([{ id, error, diagnosis }]);
    expect(receiver.requests).toHaveLength(1);
  });

  it('has the deadline of the service where the webhook has none', async () => {
    const { effective_settings } = await createWebhook(service, { user_id: user, url: receiver.url });
    expect(effective_settings.timeout_ms).toBe(3000);
  });

  it.each<[string, string, () => string, RegExp]>([
    ['connection_refused', 'nothing listens', () => 'http://127.0.0.1:31151/', /^Nothing accepted the conn/],
    ['dns', 'the name does not resolve', () => 'http://no-such-host.invalid:8080/', /no-such-host\.invalid/],
    ['tls', 'the certificate is self-signed', () => selfSigned.url, /of 127\.0\.0\.1 is self-signed\.$/],
    [
      'tls',
      'there is no TLS',
      () => receiver.url.replace('http', 'https'),
      /does not speak TLS at this port/,
    ],
    ['timeout', 'the handshake does not end', () => stuck.url, /^The TLS handshake with .* was not done/],
  ])('is %s when %s', async (code, _why, url, summary) => {
    const found = await outcomeAt(url());
    expect(found).toMatchObject({ error: { code }, response_data: null });
    expect(found.diagnosis.summary).toMatch(summary);
  });

  it('names the day on which a certificate expired', async () => {
    const { error, diagnosis } = await outcomeAt(expired.url);
    expect(error).toEqual({ code: 'tls', message: 'The TLS certificate has expired.' });
    expect(diagnosis).toEqual({
      summary: 'The TLS certificate of 127.0.0.1 expired on 2020-01-02.',
      advice: expect.stringMatching(/^Renew it/),
    });
  });

  it('is blocked_address when the address is no longer allowed', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: receiver.url });
    const sql = 'UPDATE webhook SET url = ? WHERE id = ?';
    await service.query(sql, ['http://10.0.0.1/', id]);
    const found = await attempted(service, await trigger(service, user));
    expect(found.error.code).toBe('blocked_address');
  });

  it.each<[string, FaultName]>([
    ['arrives a byte at a time', 'trickle-body'],
    ['never ends', 'endless-body'],
    ['ends early', 'short-body'],
    ['is reset', 'reset-in-body'],
  ])('is a success when the body %s', async (_what, fault) => {
    const found = await outcomeOf(fault);
    expect(found).toMatchObject({ status: 'SUCCEEDED', error: null, response_data: { truncated: true } });
    expect(found.response_data.body.length).toBeLessThanOrEqual(KEPT);
  });

  it.each<[string, Buffer, string, boolean]>([
    ['nothing', Buffer.alloc(0), '', false],
    ['exactly 16 KiB', Buffer.alloc(KEPT, 'x'), 'x'.repeat(KEPT), false],
    ['one byte more than 16 KiB', Buffer.alloc(KEPT + 1, 'x'), 'x'.repeat(KEPT), true],
    ['NUL', Buffer.from('a\0b\0'), 'a\0b\0', false],
    ['nothing but NUL', Buffer.alloc(KEPT), '\0'.repeat(KEPT), false],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x62]), 'a\ufffd\ufffd(b', false],
    ['nothing but 0xff', Buffer.alloc(KEPT, 0xff), '\ufffd'.repeat(KEPT), false],
    ['emoji', Buffer.from('👩‍👩‍👧 "\\\u2028'), '👩‍👩‍👧 "\\\u2028', false],
    ['an emoji cut in half', Buffer.from(`${'x'.repeat(KEPT - 2)}👩`), 'x'.repeat(KEPT - 2), true],
    ['nothing but quotes', Buffer.alloc(KEPT, '"'), '"'.repeat(KEPT), false],
    ['nothing but backslashes', Buffer.alloc(KEPT, '\\'), '\\'.repeat(KEPT), false],
    ['a JSON path', Buffer.from(`$[0]'); -- ? :a`), `$[0]'); -- ? :a`, false],
  ])('keeps a response body of %s', async (_what, sent, kept, truncated) => {
    const found = await outcomeOf({ body: sent });
    expect(found.response_data).toMatchObject({ status: 200, truncated });
    expect(found.response_data.body === kept).toBe(true);
    expect(found.attempts[0].response_data).toEqual(found.response_data);
  });

  it('keeps unusual response headers', async () => {
    const headers = { 'X-Odd': 'caf\u00e9 "\\ \t$[0]', 'Set-Cookie': ['a=1', 'b=2'], toString: 'x' };
    const found = await outcomeOf({ headers });
    expect(found.response_data.headers).toMatchObject({
      'x-odd': headers['X-Odd'],
      'set-cookie': 'a=1, b=2',
      tostring: 'x',
    });
  });
});

describe.each(databases)('many results of the largest size at once, on $name,', (kind) => {
  const MANY = 250;
  // One user may take three quarters of the slots.
  const service = useService(kind, {
    WEBHOOK_CONCURRENCY: String(MANY),
    DELIVERY_CONCURRENCY: String(MANY * 2),
  });
  const receiver = useReceiver();

  it('are stored', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ body: Buffer.alloc(KEPT), after: receiver.waitFor(MANY) });
    const ids = await Promise.all(Array.from({ length: MANY }, () => trigger(service, user)));
    for (const id of ids) expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  });
});
