import { createPublicKey, verify } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { verify as verifyGithub } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import type { ReceivedRequest } from '../support/receiver.js';
import { finished, newUser, trigger } from '../support/scene.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const PUBLIC_KEY = /^whpk_[A-Za-z0-9+/]{43}=$/;
/** What stands before the bytes of an Ed25519 public key in SPKI (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const TEXT = 'my-own-Secret!~of-long-ago';
const STRIPE = { scheme: 'stripe' };
const GITHUB = { scheme: 'github' };

const header = ({ headers }: ReceivedRequest, name: string) => String(headers[name]);
function passes(verification: () => unknown): boolean {
  try {
    verification();
    return true;
  } catch {
    return false;
  }
}
const isStandard = ({ headers, body }: ReceivedRequest, secret: string) =>
  passes(() => new Webhook(secret).verify(body.toString(), headers as Record<string, string>));
const isStripe = (request: ReceivedRequest, secret: string) =>
  passes(() => Stripe.webhooks.constructEvent(request.body, header(request, 'stripe-signature'), secret));
const isGithub = (request: ReceivedRequest, secret: string) =>
  verifyGithub(secret, request.body.toString(), header(request, 'x-hub-signature-256'));

/** https://github.com/standard-webhooks/standard-webhooks, spec, "Signature scheme". */
function isAsymmetric(request: ReceivedRequest, publicKey: string): boolean {
  const raw = Buffer.from(publicKey.slice('whpk_'.length), 'base64');
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' });
  const signed = `${header(request, 'webhook-id')}.${header(request, 'webhook-timestamp')}.`;
  return header(request, 'webhook-signature')
    .split(' ')
    .some((one) => {
      const [version, signature = ''] = one.split(',');
      const data = Buffer.concat([Buffer.from(signed), request.body]);
      return version === 'v1a' && verify(null, data, key, Buffer.from(signature, 'base64'));
    });
}

describe.each(databases)('the signature of a webhook on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(() => {
    user = newUser();
  });
  const webhook = (scheme: string, more: object = {}) =>
    createWebhook(service, { user_id: user, url: receiver.url, signature: { scheme }, ...more });
  const rotate = async (id: string, more: object = {}) =>
    service.call('POST', '/v1/webhook/secret/rotate', { id, ...more });
  const publicKey = (id: string) => service.call('GET', `/v1/webhook/public-key?id=${id}`);
  const patch = (id: string, change: object) => service.call('PATCH', '/v1/webhook', { id, ...change });
  async function sent(): Promise<ReceivedRequest> {
    const count = receiver.requests.length;
    await trigger(service, user);
    const requests = await receiver.waitFor(count + 1);
    return requests[count] as ReceivedRequest;
  }

  it('is that of Standard Webhooks unless set', async () => {
    const plain = await createWebhook(service, { user_id: user, url: receiver.url });
    expect(plain).toMatchObject({ signature: { scheme: 'standard' }, secret: expect.stringMatching(SECRET) });
    const request = await sent();
    expect(isStandard(request, plain.secret)).toBe(true);
    expect(request.headers).not.toHaveProperty('stripe-signature');
    expect(request.headers).not.toHaveProperty('x-hub-signature-256');
  });

  it("is verified by Stripe's library, with each secret of an overlap", async () => {
    const { id, secret, signature } = await webhook('stripe');
    expect(signature).toEqual(STRIPE);
    const first = await sent();
    expect([isStripe(first, secret), isStandard(first, secret)]).toEqual([true, true]);
    expect(isStripe({ ...first, body: Buffer.from('{}') }, secret)).toBe(false);
    const rotated = (await rotate(id, { secret: TEXT })).body.secret;
    const second = await sent();
    for (const one of [secret, rotated]) expect(isStripe(second, one)).toBe(true);
    expect(isStripe(second, 'another')).toBe(false);
    expect(isStripe(first, rotated)).toBe(false);
  });

  it("is verified by GitHub's library, with the newest secret, and kept with the request of an attempt", async () => {
    const { id, secret } = await webhook('github', { secret: TEXT });
    expect(secret).toBe(TEXT);
    const delivered = await finished(service, await trigger(service, user));
    const [first] = receiver.requests as [ReceivedRequest];
    expect(await isGithub(first, TEXT)).toBe(true);
    const own = {
      'x-github-event': 'RECORD_FINISHED',
      'x-github-delivery': header(first, 'webhook-id'),
      'x-hub-signature-256': header(first, 'x-hub-signature-256'),
    };
    expect(first.headers).toMatchObject(own);
    expect(delivered.request_data.headers).toMatchObject(own);
    const rotated = (await rotate(id)).body.secret;
    const second = await sent();
    expect([await isGithub(second, rotated), await isGithub(second, TEXT)]).toEqual([true, false]);
    expect(isStandard(second, rotated)).toBe(true);
  });

  it('is made with a key pair, and with both during an overlap', async () => {
    const { id, secret } = await webhook('standard-asymmetric');
    expect(secret).toMatch(PUBLIC_KEY);
    expect((await publicKey(id)).body).toEqual({ public_key: secret });
    const first = await sent();
    expect(isAsymmetric(first, secret)).toBe(true);
    const answer = await rotate(id);
    const rotated = (await publicKey(id)).body.public_key;
    expect(answer.body.secret).toBe(rotated);
    expect(rotated).not.toBe(secret);
    const second = await sent();
    for (const key of [secret, rotated]) expect(isAsymmetric(second, key)).toBe(true);
    expect(isAsymmetric(first, rotated)).toBe(false);
    for (const shown of [await service.call('GET', `/v1/webhook/secret?id=${id}`), answer])
      expect(shown.text).not.toContain('whsk_');
  });

  it('can be changed: a secret that fits stays, and a private key never becomes one', async () => {
    const { id, secret } = await webhook('standard');
    const shown = async () => (await service.call('GET', `/v1/webhook/secret?id=${id}`)).body.secret;
    const changed = await patch(id, { signature: STRIPE });
    expect(changed.body.signature).toEqual(STRIPE);
    expect(isStripe(await sent(), secret)).toBe(true);
    await rotate(id, { secret: TEXT });
    await patch(id, { signature: null });
    expect(await shown()).toMatch(SECRET);
    expect(isStandard(await sent(), await shown())).toBe(true);
    await patch(id, { signature: { scheme: 'standard-asymmetric' } });
    expect(isAsymmetric(await sent(), await shown())).toBe(true);
    await patch(id, { signature: GITHUB });
    expect(await shown()).toMatch(SECRET);
    expect(await isGithub(await sent(), await shown())).toBe(true);
    expect((await patch(id, { name: 'Renamed' })).body.signature).toEqual(GITHUB);
  });

  it('names what is wrong', async () => {
    const create = (more: object) => service.call('POST', '/v1/webhook', webhookBody(more));
    const wrong: [fields: object, pointer: string][] = [
      [{ signature: { scheme: 'svix' } }, '/signature/scheme'],
      [{ signature: {} }, '/signature/scheme'],
      [{ signature: 'stripe' }, '/signature'],
      [{ signature: { ...STRIPE, key: 'x' } }, '/signature/key'],
      [{ secret: TEXT }, '/secret'],
      [{ signature: STRIPE, secret: 'too short' }, '/secret'],
      [{ signature: GITHUB, secret: 'x'.repeat(257) }, '/secret'],
      [{ signature: { scheme: 'standard-asymmetric' }, secret: TEXT }, '/secret'],
      [{ signature: STRIPE, headers: { 'Stripe-Signature': 'x' } }, '/headers/Stripe-Signature'],
      [{ signature: GITHUB, headers: { X_GitHub_Event: 'x' } }, '/headers/X_GitHub_Event'],
    ];
    for (const [fields, pointer] of wrong)
      expectProblem(await create(fields), 400, 'validation_failed', [pointer]);
    const { id } = await createWebhook(service, { headers: { 'X-GitHub-Event': 'push' } });
    const taken = await patch(id, { signature: GITHUB });
    expectProblem(taken, 400, 'validation_failed', ['/headers/X-GitHub-Event']);
    expectProblem(await rotate(id, { secret: TEXT }), 400, 'validation_failed', ['/secret']);
    expectProblem(await publicKey(id), 409, 'no_key_pair');
    expectProblem(await publicKey(newUser()), 400, 'validation_failed');
  });
});
