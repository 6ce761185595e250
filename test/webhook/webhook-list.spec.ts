import { describe, expect, it } from '@jest/globals';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { linkedPages } from '../support/linked-pages.js';
import { createWebhook } from '../support/webhook.js';

const LIST = '/v1/webhook/list';

describe.each(databases)('the list of webhooks on $name', (kind) => {
  const service = useService(kind);

  const user = (name: string) => service.keyFor(name, 'webhooks:read', 'webhooks:write');
  const get = (query: string, key: string) => service.call('GET', LIST + query, undefined, { key });
  const namesOf = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name).sort();

  const pages = async (query: string, key: string, between?: () => Promise<unknown>) =>
    (await linkedPages(service, LIST + query, key, between)).map(({ body }) => body.data);

  it('shows every webhook once, newest first, page by page', async () => {
    const key = await user('pages');
    // Created at the same time, so that many share a millisecond.
    const created = await Promise.all(Array.from({ length: 23 }, () => createWebhook(service, {}, key)));
    const wanted = created.map(({ id }) => id).sort();
    const found = await pages('?limit=5', key, () => createWebhook(service, {}, key));
    expect(found.map((page) => page.length)).toEqual([5, 5, 5, 5, 3]);
    expect(found.flat().map(({ id }) => id)).toEqual(wanted.reverse());
  });

  it('ends a page early where filters are large', async () => {
    const key = await user('large filters');
    const filter = { a: { $in: Array.from({ length: 1800 }, (_, n) => `${n}`.padStart(5)) } };
    const kinds = ['ANALYSIS_FINISHED', 'RECORD_FINISHED', 'STATUS_CHANGED'];
    const events = kinds.map((one) => ({ kind: one, filter }));
    const created = [];
    for (let n = 0; n < 30; n++) created.push(await createWebhook(service, { events }, key));
    created.push(await createWebhook(service, {}, key));
    const found = await pages('?limit=100', key);
    expect(found.map((page) => page.length)).toEqual([25, 6]);
    expect(found.flat().map(({ id }) => id)).toEqual(created.map(({ id }) => id).reverse());
    expect(found.flat().at(-1)).toMatchObject({ events: created[0]?.events });
  });

  it('keeps the filters from page to page', async () => {
    const key = await user('filtered pages');
    for (const enabled of [true, false, true, false, true])
      await createWebhook(service, { enabled, name: 'A & b=c' }, key);
    const found = await pages(`?enabled=true&limit=2&name=${encodeURIComponent('A & b=c')}`, key);
    expect(found.map((page) => page.length)).toEqual([2, 1]);
    expect(found.flat().every(({ enabled }) => enabled)).toBe(true);
  });

  it('has 20 on a page by default', async () => {
    const key = await user('limits');
    expect((await get('', key)).body).toEqual({ data: [], next_cursor: null });
    // Together they would wait for the lock of their user, and the last of them may wait no longer than a database takes to answer.
    for (let made = 0; made < 21; made++) await createWebhook(service, {}, key);
    expect((await get('', key)).body.data).toHaveLength(20);
    expect((await get('?limit=1', key)).body.data).toHaveLength(1);
    const all = await get('?limit=100', key);
    expect(all.body).toMatchObject({ data: { length: 21 }, next_cursor: null });
    expect(all.headers.get('link')).toBeNull();
    expect((await get('?limit=21', key)).body.next_cursor).toBeNull();
  });

  it('filters by enabled, event_kind and name', async () => {
    const key = await user('filters');
    await createWebhook(service, { name: 'a', events: ['RECORD_FINISHED', 'STATUS_CHANGED'] }, key);
    await createWebhook(service, { name: 'b', events: ['STATUS_CHANGED'], enabled: false }, key);
    await createWebhook(service, { name: 'c', events: [{ kind: 'RECORD_FINISHED', enabled: false }] }, key);
    const names = async (query: string) => namesOf((await get(query, key)).body);
    expect(await names('?enabled=true')).toEqual(['a', 'c']);
    expect(await names('?enabled=false')).toEqual(['b']);
    expect(await names('?event_kind=STATUS_CHANGED')).toEqual(['a', 'b']);
    expect(await names('?event_kind=RECORD_FINISHED&enabled=true')).toEqual(['a', 'c']);
    expect(await names('?event_kind=NO_SUCH_KIND')).toEqual([]);
    expect(await names('?name=b')).toEqual(['b']);
    expect(await names('?name=b&enabled=true')).toEqual([]);
  });

  it('refuses wrong limits and unknown query parameters', async () => {
    const key = await user('queries');
    for (const limit of ['0', '101', '1000', 'abc', '-1', '1.5', '1e1', '', '%201', '0x10'])
      expectProblem(await get(`?limit=${limit}`, key), 400, 'validation_failed', ['?limit']);
    const answer = await get('?enabled=maybe&event_kind=&foo=1&offset=2', key);
    expectProblem(answer, 400, 'validation_failed', ['?enabled', '?event_kind', '?foo', '?offset']);
  });

  it('refuses a cursor that it did not issue', async () => {
    const key = await user('cursors');
    for (const name of ['a', 'b', 'c']) await createWebhook(service, { name }, key);
    const { next_cursor: cursor } = (await get('?limit=1', key)).body;
    const other = (await service.call('GET', '/v1/api-key/list?limit=1')).body.next_cursor;
    const changed = `${cursor.slice(0, 9)}${cursor[9] === 'A' ? 'B' : 'A'}${cursor.slice(10)}`;
    expect(other).toEqual(expect.any(String));
    const forged = [other, changed, `${cursor}A`, `${cursor}=`, cursor.slice(0, -2), 'abc', '!!', ''];
    for (const one of forged.map(encodeURIComponent))
      expectProblem(await get(`?cursor=${one}`, key), 400, 'invalid_cursor', ['?cursor']);
    const long = await get(`?cursor=${'A'.repeat(300)}`, key);
    expectProblem(long, 400, long.body.code, ['?cursor']);
    expect((await get(`?cursor=${cursor}`, key)).body.data).toHaveLength(2);
  });
});
