import { describe, expect, it } from '@jest/globals';
import { DATE_TIME, expectProblem, ID, NO_ID } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

describe.each(databases)('webhooks on $name', (kind) => {
  const service = useService(kind);

  const find = (id: string) => service.call('GET', `/v1/webhook?id=${id}`);
  const update = (body: object) => service.call('PATCH', '/v1/webhook', body);

  describe('create', () => {
    it('fills in defaults and shows the secret', async () => {
      const answer = await service.call('POST', '/v1/webhook', webhookBody());
      expect(answer).toMatchObject({ status: 201 });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const { secret, ...webhook } = answer.body;
      expect(webhook).toEqual({
        id: expect.stringMatching(ID),
        user_id: 'admin',
        name: 'CRM sync',
        url: 'http://127.0.0.1:31151/hooks',
        enabled: true,
        description: null,
        headers: {},
        events: [],
        disabled_reason: null,
        paused_until: null,
        health: expect.objectContaining({ state: 'idle' }),
        previous_secrets_expire_at: [],
        uid: null,
        metadata: {},
        signature: { scheme: 'standard' },
        authentication: null,
        tls: null,
        unreadable: [],
        settings: expect.objectContaining({ timeout_ms: null }),
        effective_settings: expect.objectContaining({ timeout_ms: 15_000 }),
        created_at: expect.stringMatching(DATE_TIME),
        updated_at: expect.stringMatching(DATE_TIME),
      });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect((await find(webhook.id)).body).toEqual(webhook);
    });

    it('subscribes to kinds in each form of an event', async () => {
      const off = { kind: 'RECORD_FINISHED', enabled: false };
      const events = ['STATUS_CHANGED', off, { event_kind: 'ANALYSIS_FINISHED' }];
      const created = await createWebhook(service, { events });
      const others = ['STATUS_CHANGED', 'ANALYSIS_FINISHED'].map((name) => ({ kind: name, enabled: true }));
      expect(created.events).toMatchObject([others[0], off, others[1]]);
      expect((await find(created.id)).body.events).toEqual(created.events);
    });

    it('stores a secret that only its own call shows later', async () => {
      const { id } = await createWebhook(service, { secret: SECRET });
      const list = await service.call('GET', '/v1/webhook/list');
      for (const answer of [await find(id), await update({ id, name: 'Renamed' }), list]) {
        expect(answer.status).toBe(200);
        expect(answer.text).not.toMatch(/"secret"|whsec_/);
      }
      const secret = await service.call('GET', `/v1/webhook/secret?id=${id}`);
      expect(secret).toMatchObject({ status: 200, body: { secret: SECRET } });
      expect(secret.headers.get('cache-control')).toBe('no-store');
    });
  });

  describe('delete', () => {
    it.each([
      ['DELETE', (id: string) => service.call('DELETE', `/v1/webhook?id=${id}`)],
      ['POST', (id: string) => service.call('POST', '/v1/webhook', { id })],
    ])('by %s', async (_method, remove) => {
      const { id } = await createWebhook(service, { events: ['RECORD_FINISHED'] });
      expect(await remove(id)).toMatchObject({ status: 200, body: { id, deleted: true } });
      expectProblem(await find(id), 404, 'not_found');
      expectProblem(await remove(id), 404, 'not_found');
    });

    it('is refused as ambiguous with fields of a creation', async () => {
      const { id } = await createWebhook(service);
      const post = (body: object) => service.call('POST', '/v1/webhook', body);
      for (const field of [{ name: 'x' }, webhookBody(), { enabled: false }, { user_id: 'admin' }]) {
        const answer = await post({ id, ...field });
        expectProblem(answer, 400, 'ambiguous_operation');
        expect(answer.body.detail).toMatch(/create.*delete/i);
      }
      expectProblem(await post({ id, unknown: 1 }), 400, 'validation_failed', ['/unknown']);
      expect((await find(id)).status).toBe(200);
    });

    it.each([null, 7, '', 'x', NO_ID.toUpperCase(), [NO_ID]])('refuses %j as an id', async (id) => {
      expectProblem(await service.call('POST', '/v1/webhook', { id }), 400, 'validation_failed', ['/id']);
    });
  });

  describe('update', () => {
    it('changes only the given fields', async () => {
      const fields = { description: 'Old', headers: { 'X-Team': 'risk' }, events: ['RECORD_FINISHED'] };
      const { secret: _, ...before } = await createWebhook(service, fields);
      const { id } = before;
      const changes = { name: 'New', url: 'http://127.0.0.1:49152/', enabled: false, description: null };
      for (const [field, value] of Object.entries(changes)) {
        const answer = await update({ id, [field]: value });
        expect(answer).toMatchObject({ status: 200, body: { [field]: value } });
      }
      const after = (await find(id)).body;
      expect(after).toEqual({
        ...before,
        ...changes,
        health: expect.objectContaining({ state: 'off' }),
        updated_at: expect.stringMatching(DATE_TIME),
      });
      expect(after.updated_at > before.updated_at).toBe(true);
    });

    it('keeps the ids of the kinds that stay in the new list', async () => {
      const { id, events } = await createWebhook(service, { events: ['RECORD_FINISHED', 'STATUS_CHANGED'] });
      const wanted = [{ kind: 'STATUS_CHANGED', enabled: false }, 'ANALYSIS_FINISHED'];
      const answer = await update({ id, events: wanted });
      expect(answer.body.events).toHaveLength(2);
      expect(answer.body.events).toEqual([
        { ...events[1], enabled: false },
        expect.objectContaining({ kind: 'ANALYSIS_FINISHED', enabled: true, webhook_id: id }),
      ]);
      expect((await find(id)).body.events).toEqual(answer.body.events);
      expect((await update({ id, events: [] })).body.events).toEqual([]);
    });

    it('changes nothing if one field is invalid', async () => {
      const { id } = await createWebhook(service);
      const before = (await find(id)).body;
      const answer = await update({ id, name: 'New', url: 'ftp://x', enabled: 'no', events: ['NOPE'] });
      expectProblem(answer, 400, 'validation_failed', ['/url', '/enabled', '/events/0']);
      expect((await find(id)).body).toEqual(before);
    });

    it('requires the id of a webhook, and refuses a secret', async () => {
      expectProblem(await update({ id: NO_ID, name: 'x' }), 404, 'not_found');
      expectProblem(await update({ name: 'x' }), 400, 'validation_failed', ['/id']);
      const { id } = await createWebhook(service);
      const answer = await update({ id, secret: SECRET, user_id: 'acme' });
      expectProblem(answer, 400, 'validation_failed', ['/secret', '/user_id']);
    });

    it('loses no change when several come at the same time', async () => {
      const { id } = await createWebhook(service);
      const kinds = ['RECORD_FINISHED', 'STATUS_CHANGED', 'ANALYSIS_FINISHED'];
      const answers = await Promise.all(
        [...kinds, ...kinds, ...kinds].map((event) => update({ id, events: [event], name: event })),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200));
      const { events, name } = (await find(id)).body;
      expect(events).toMatchObject([{ kind: name }]);
    });
  });

  describe.each(['/v1/webhook', '/v1/webhook/secret'])('GET %s', (path) => {
    it('finds a webhook by its id only', async () => {
      const get = (query: string) => service.call('GET', path + query);
      expectProblem(await get(`?id=${NO_ID}`), 404, 'not_found');
      expectProblem(await get(''), 400, 'validation_failed', ['?id']);
      expectProblem(await get('?id=x'), 400, 'validation_failed', ['?id']);
      expectProblem(await get(`?id=${NO_ID}&x=1`), 400, 'validation_failed', ['?x']);
    });
  });
});
