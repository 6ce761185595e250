import { describe, expect, it } from '@jest/globals';
import { expectProblem, NO_ID } from '../support/api.js';
import { BASIC, HTTPS, TLS } from '../support/authentication/credentials.js';
import { databases } from '../support/databases.js';
import { useSharing } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import type { Answer } from '../support/service.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

/** A strong ETag of visible characters (RFC 9110). */
const STRONG = /^"[\x21\x23-\x7e]{16,}"$/;
const OTHER = `"${'A'.repeat(22)}"`;

describe.each(databases)('ETags on $name', (kind) => {
  const services = useSharing(kind);
  const [service] = services;
  const find = (id: string, headers: Record<string, string> = {}) =>
    service.call('GET', `/v1/webhook?id=${id}`, undefined, { headers });
  const update = (body: object, ifMatch?: string, by = service) =>
    by.call('PATCH', '/v1/webhook', body, { headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } });

  /** @throws if the answer has no strong tag. */
  function tagOf(answer: Answer): string {
    const tag = answer.headers.get('etag');
    expect(tag).toMatch(STRONG);
    return tag as string;
  }
  const currentTag = async (id: string) => tagOf(await find(id));

  it('change only when the webhook changes, and are the same in every process', async () => {
    const body = webhookBody({
      description: 'ünïcode',
      headers: { 'X-Team': 'risk', Authorization: 'x' },
      events: ['RECORD_FINISHED', { kind: 'ANALYSIS_FINISHED', enabled: false }],
    });
    const created = await service.call('POST', '/v1/webhook', body);
    const { id } = created.body;
    const found = await find(id);
    expect(tagOf(found)).toBe(tagOf(created));
    for (const other of services) {
      const answer = await other.call('GET', `/v1/webhook?id=${id}`);
      expect(tagOf(answer)).toBe(tagOf(created));
    }
    const updated = await update({ id, name: 'new' });
    expect(tagOf(updated)).not.toBe(tagOf(created));
    expect(await currentTag(id)).toBe(tagOf(updated));
    const other = await service.call('POST', '/v1/webhook', { ...body, name: 'new' });
    expect(tagOf(other)).not.toBe(tagOf(updated));
  });

  it('are part of a replayed answer, but not of the answer to a deletion', async () => {
    const options = { headers: { 'idempotency-key': newUser() } };
    const create = () => service.call('POST', '/v1/webhook', webhookBody(), options);
    const first = await create();
    const again = await create();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(tagOf(again)).toBe(tagOf(first));
    const deleted = await service.call('POST', '/v1/webhook', { id: first.body.id });
    expect([deleted.status, deleted.headers.get('etag')]).toEqual([200, null]);
  });

  it('change with every visible field', async () => {
    const { id } = await createWebhook(service, { headers: { 'X-Team': 'risk' } });
    const changes = [
      { name: 'other' },
      { url: 'http://127.0.0.1:31151/other' },
      { enabled: false },
      { description: 'x' },
      { headers: { 'X-Team': 'fraud' } },
      { events: ['STATUS_CHANGED'] },
      { url: HTTPS, tls: { ca: TLS.ca } },
      { authentication: BASIC },
    ];
    const tags = [await currentTag(id)];
    for (const change of changes) tags.push(tagOf(await update({ id, ...change })));
    expect(new Set(tags).size).toBe(changes.length + 1);
  });

  it('change with events that are changed through their own calls', async () => {
    const { id } = await createWebhook(service, { events: [] });
    const tags = [await currentTag(id)];
    const path = '/v1/webhook/event';
    const event = await service.call('POST', path, { webhook_id: id, kind: 'STATUS_CHANGED' });
    tags.push(await currentTag(id));
    await service.call('PATCH', path, { id: event.body.id, enabled: false });
    tags.push(await currentTag(id));
    await service.call('DELETE', `${path}?id=${event.body.id}`);
    expect(new Set(tags).size).toBe(3);
    expect(await currentTag(id)).toBe(tags[0]);
  });

  it.each([
    ['headers', { Authorization: 'Bearer one' }, { Authorization: 'Bearer two' }],
    ['authentication', BASIC, { ...BASIC, password: 'other' }],
  ])('change with what is masked in %s', async (field, one, two) => {
    const { id } = await createWebhook(service, { [field]: one });
    /** Keeps every visible field the same. */
    const changed = async (value: object) => {
      await update({ id, [field]: value });
      await service.query('UPDATE webhook SET updated_at = 1 WHERE id = ?', [id]);
      return find(id);
    };
    const [first, second] = [await changed(one), await changed(two)];
    expect(second.body).toEqual(first.body);
    expect(tagOf(second)).not.toBe(tagOf(first));
    expect(tagOf(await changed(one))).toBe(tagOf(first));
  });

  describe('in If-Match', () => {
    it('allow an update by the current one, by a list with it, and by *', async () => {
      const { id } = await createWebhook(service);
      const tagged = [(tag: string) => tag, (tag: string) => `${OTHER}, W/"x" ,${tag}`, () => '*'];
      for (const [index, header] of tagged.entries()) {
        const answer = await update({ id, name: `new ${index}` }, header(await currentTag(id)));
        expect(answer).toMatchObject({ status: 200, body: { name: `new ${index}` } });
      }
    });

    it('prevent an update by all else', async () => {
      const { id } = await createWebhook(service);
      const before = await find(id);
      const tag = tagOf(before);
      const [bare, longer, padded] = [tag.slice(1, -1), tag.replace(/"$/, 'A"'), tag.replace(/"$/, '="')];
      for (const header of [OTHER, `${OTHER}, "x", ""`, `W/${tag}`, bare, longer, padded, '']) {
        const answer = await update({ id, name: 'new', enabled: false }, header);
        expectProblem(answer, 412, 'precondition_failed');
        expect(answer.body.detail).toMatch(/ETag/);
      }
      expect((await find(id)).body).toEqual(before.body);
    });

    it('prevent an update of a webhook that changed in the meantime, and allow the next one', async () => {
      const { id } = await createWebhook(service, { events: ['STATUS_CHANGED'] });
      const old = await find(id);
      await service.call('PATCH', '/v1/webhook/event', { id: old.body.events[0].id, enabled: false });
      expectProblem(await update({ id, name: 'mine' }, tagOf(old)), 412, 'precondition_failed');
      const mine = await update({ id, name: 'mine' }, await currentTag(id));
      expect(mine.status).toBe(200);
      expect(await update({ id, name: 'next' }, tagOf(mine))).toMatchObject({ status: 200 });
      expectProblem(await update({ id, name: 'late' }, tagOf(mine)), 412, 'precondition_failed');
    });

    it('allow exactly one of many simultaneous updates', async () => {
      const { id } = await createWebhook(service);
      for (const round of [1, 2, 3]) {
        const tag = await currentTag(id);
        const calls = Array.from({ length: 10 }, (_, i) =>
          update({ id, name: `${round}-${i}` }, tag, services[i % services.length]),
        );
        const answers = await Promise.all(calls);
        const won = answers.filter(({ status }) => status === 200);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
        expect((await find(id)).body).toEqual(won[0]?.body);
      }
    });

    it('are checked only after 404 and 400', async () => {
      const { id } = await createWebhook(service, { user_id: newUser() });
      const key = await service.keyFor(newUser(), 'webhooks:write');
      const headers = { 'if-match': OTHER };
      for (const body of [{ id }, { id: NO_ID }])
        expectProblem(await service.call('PATCH', '/v1/webhook', body, { key, headers }), 404, 'not_found');
      expectProblem(await update({ id, name: '' }, OTHER), 400, 'validation_failed', ['/name']);
    });
  });

  describe('in If-None-Match', () => {
    it('answer 304 without a body for the current one, for a list with it as a weak tag, and for *', async () => {
      const { id } = await createWebhook(service);
      const tag = await currentTag(id);
      for (const header of [tag, `${OTHER}, W/${tag}`, '*']) {
        const answer = await find(id, { 'if-none-match': header });
        expect(answer).toMatchObject({ status: 304, text: '' });
        expect(tagOf(answer)).toBe(tag);
        expect(answer.headers.get('content-type')).toBeNull();
      }
    });

    it('answer 200 with the webhook once it has changed', async () => {
      const { id } = await createWebhook(service);
      const tag = await currentTag(id);
      const { body } = await update({ id, description: 'x' });
      expect(await find(id, { 'if-none-match': `${OTHER}, ${tag}` })).toMatchObject({ status: 200, body });
      expectProblem(await find(NO_ID, { 'if-none-match': '*' }), 404, 'not_found');
    });
  });
});
