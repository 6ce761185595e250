import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { createWebhook } from '../../support/webhook.js';
import { longestBlock } from '../support/longest-block.js';

const LIST = '/v1/webhook/list';

describe.each(databases)('the list of webhooks on $name', (kind) => {
  const service = useService(kind);

  const user = (name: string) => service.keyFor(name, 'webhooks:read', 'webhooks:write');

  /** Follows `Link: <…>; rel="next"` to the last page. */
  async function pages(query: string, key: string) {
    const found = [];
    for (let path: string | undefined = LIST + query; path; ) {
      const answer = await service.call('GET', path, undefined, { key });
      expect(answer.status).toBe(200);
      found.push(answer.body.data);
      const link: string | null = answer.headers.get('link');
      path = link?.match(/^<([^>]+)>; rel="next"$/)?.[1];
      const cursor = path && new URL(path, service.url).searchParams.get('cursor');
      expect(cursor ?? null).toBe(answer.body.next_cursor);
    }
    return found;
  }

  it('ends a page early where filters are large, and computes little for it', async () => {
    const key = await user('large filters');
    const filter = { a: { $in: Array.from({ length: 1800 }, (_, n) => `${n}`.padStart(5)) } };
    const events = ['ANALYSIS_FINISHED', 'RECORD_FINISHED', 'STATUS_CHANGED'].map((one) => ({
      kind: one,
      filter,
    }));
    const created = [];
    for (let n = 0; n < 50; n++) created.push(await createWebhook(service, { events }, key));
    await createWebhook(service, {}, key);
    let found: { id: string }[][] = [];
    const read = async () => {
      found = await pages('?limit=100', key);
    };
    // The least of several: one may hold a garbage collection of what was created.
    const blocks: number[] = [];
    while (blocks.length < 3) blocks.push(await longestBlock(read));
    expect(found.map((page) => page.length)).toEqual([25, 24, 2]);
    expect(
      found
        .flat()
        .slice(1)
        .map(({ id }) => id),
    ).toEqual(created.map(({ id }) => id).reverse());
    expect(found.flat().at(-1)).toMatchObject({ events: created[0]?.events });
    expect(Math.min(...blocks)).toBeLessThan(200);
  });
});
