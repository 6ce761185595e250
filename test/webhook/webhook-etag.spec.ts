import { describe, expect, it } from '@jest/globals';
import { expectProblem, NO_ID } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useSharing } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import type { Answer } from '../support/service.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

/** RFC 9110: strong, of visible characters. */
const STRONG = /^"[\x21\x23-\x7e]{16,}"$/;
const OTHER = `"${'A'.repeat(22)}"`;

describe.each(databases)('ETags on $name', (kind) => {
  const services = useSharing(kind);
  const [service] = services;
  const find = (id: string, headers: Record<string, string> = {}) =>
    service.call('GET', `/v1/webhook?id=${id}`, undefined, { headers });
  const update = (body: object, ifMatch?: string, by = service) =>
    by.call('PATCH', '/v1/webhook', body, { headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } });

  /** @throws where the answer has no strong tag. */
  function tagOf(answer: Answer): string {
    const tag = answer.headers.get('etag');
    expect(tag).toMatch(STRONG);
    return tag as string;
  }
  const currentTag = async (id: string) => tagOf(await find(id));

  it('are the same for as long as the webhook is', async () => {
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
  });

  it('are those of one webhook', async () => {
    const tags = [];
    for (const _ of [1, 2]) tags.push(await currentTag((await createWebhook(service)).id));
    expect(tags[0]).not.toBe(tags[1]);
  });

  it('come with an answer that is given again, and with no deletion', async () => {
    const options = { headers: { 'idempotency-key': newUser() } };
    const create = () => service.call('POST', '/v1/webhook', webhookBody(), options);
    const first = await create();
    const again = await create();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(tagOf(again)).toBe(tagOf(first));
    const deleted = await service.call('POST', '/v1/webhook', { id: first.body.id });
    expect([deleted.status, deleted.headers.get('etag')]).toEqual([200, null]);
  });

  describe('follow', () => {
    it('every field that is shown', async () => {
      const { id } = await createWebhook(service, { headers: { 'X-Team': 'risk' } });
      const changes = [
        { name: 'other' },
        { url: 'http://127.0.0.1:49151/other' },
        { enabled: false },
        { description: 'x' },
        { headers: { 'X-Team': 'fraud' } },
        { events: ['STATUS_CHANGED'] },
      ];
      const tags = [await currentTag(id)];
      for (const change of changes) tags.push(tagOf(await update({ id, ...change })));
      expect(new Set(tags).size).toBe(changes.length + 1);
    });

    it('events that are changed by themselves, when nothing else is', async () => {
      const webhook = await createWebhook(service, { events: [] });
      const tags = [await currentTag(webhook.id)];
      const event = await service.call('POST', '/v1/webhook/event', {
        webhook_id: webhook.id,
        kind: 'STATUS_CHANGED',
      });
      tags.push(await currentTag(webhook.id));
      await service.call('PATCH', '/v1/webhook/event', { id: event.body.id, enabled: false });
      tags.push(await currentTag(webhook.id));
      await service.call('DELETE', `/v1/webhook/event?id=${event.body.id}`);
      expect((await find(webhook.id)).body).toEqual(expect.objectContaining({ events: [] }));
      expect(new Set(tags).size).toBe(3);
      expect(await currentTag(webhook.id)).toBe(tags[0]);
    });

    it('header values that are masked', async () => {
      const { id } = await createWebhook(service, { headers: { Authorization: 'Bearer one' } });
      const { app } = service;
      const { DataSource } = await import('typeorm');
      // Everything that is shown stays as it is.
      const setBack = async (updatedAt: number) =>
        app.get(DataSource).query('UPDATE webhook SET updated_at = ? WHERE id = ?', [updatedAt, id]);
      await setBack(1);
      const one = await find(id);
      await update({ id, headers: { Authorization: 'Bearer two' } });
      await setBack(1);
      const two = await find(id);
      expect(two.body).toEqual(one.body);
      expect(tagOf(two)).not.toBe(tagOf(one));
      await update({ id, headers: { Authorization: 'Bearer one' } });
      await setBack(1);
      expect(await currentTag(id)).toBe(tagOf(one));
    });
  });

  describe('in If-Match', () => {
    it.each([
      ['the current one', (tag: string) => tag],
      ['a list with the current one', (tag: string) => `${OTHER}, W/"x" ,${tag}`],
      ['*', () => '*'],
    ])('let an update through: %s', async (_name, header) => {
      const { id } = await createWebhook(service);
      const answer = await update({ id, name: 'new' }, header(await currentTag(id)));
      expect(answer).toMatchObject({ status: 200, body: { name: 'new' } });
    });

    it.each([
      ['another', () => OTHER],
      ['a list of others', () => `${OTHER}, "x", ""`],
      ['the current one, weak', (tag: string) => `W/${tag}`],
      ['the current one, without its quotes', (tag: string) => tag.replaceAll('"', '')],
      ['the current one, longer', (tag: string) => tag.replace(/"$/, 'A"')],
      ['the current one, spelt another way', (tag: string) => tag.replace(/"$/, '="')],
      ['nothing', () => ''],
    ])('stop an update: %s', async (_name, header) => {
      const { id } = await createWebhook(service);
      const before = await find(id);
      const answer = await update({ id, name: 'new', enabled: false }, header(tagOf(before)));
      expectProblem(answer, 412, 'precondition_failed');
      expect(answer.body.detail).toMatch(/ETag/);
      expect((await find(id)).body).toEqual(before.body);
    });

    it('stop an update of what was changed in between, and let the next one through', async () => {
      const { id } = await createWebhook(service, { events: ['STATUS_CHANGED'] });
      const old = await find(id);
      await service.call('PATCH', '/v1/webhook/event', { id: old.body.events[0].id, enabled: false });
      expectProblem(await update({ id, name: 'mine' }, tagOf(old)), 412, 'precondition_failed');
      const mine = await update({ id, name: 'mine' }, await currentTag(id));
      expect(mine.status).toBe(200);
      expect(await update({ id, name: 'next' }, tagOf(mine))).toMatchObject({ status: 200 });
      expectProblem(await update({ id, name: 'late' }, tagOf(mine)), 412, 'precondition_failed');
    });

    it('let one of many updates through that come at once', async () => {
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

    it('tell nothing of what is not found or not valid', async () => {
      const { id } = await createWebhook(service, { user_id: newUser() });
      const key = await service.keyFor(newUser(), 'webhooks:write');
      const headers = { 'if-match': OTHER };
      for (const body of [{ id }, { id: NO_ID }]) {
        expectProblem(await service.call('PATCH', '/v1/webhook', body, { key, headers }), 404, 'not_found');
      }
      expectProblem(await update({ id, name: '' }, OTHER), 400, 'validation_failed', ['/name']);
    });
  });

  describe('in If-None-Match', () => {
    it.each([
      ['the current one', (tag: string) => tag],
      ['a list with the current one, weak', (tag: string) => `${OTHER}, W/${tag}`],
      ['*', () => '*'],
    ])('save the answer: %s', async (_name, header) => {
      const { id } = await createWebhook(service);
      const tag = await currentTag(id);
      const answer = await find(id, { 'if-none-match': header(tag) });
      expect(answer).toMatchObject({ status: 304, text: '' });
      expect(tagOf(answer)).toBe(tag);
      expect(answer.headers.get('content-type')).toBeNull();
    });

    it('do not save it where the webhook is another by now', async () => {
      const { id } = await createWebhook(service);
      const tag = await currentTag(id);
      const { body } = await update({ id, description: 'x' });
      expect(await find(id, { 'if-none-match': `${OTHER}, ${tag}` })).toMatchObject({ status: 200, body });
      expectProblem(await find(NO_ID, { 'if-none-match': '*' }), 404, 'not_found');
    });
  });
});
