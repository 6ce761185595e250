import { describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const MIB = 1024 * 1024;
const BODIES = 7;

/** Almost 1 MiB. JSON.stringify would change its numbers and the order of its keys. */
const record = `{"id":"rec_1","analysis":[],"10":-0,"9":12345678901234567890,"text":"${'x'.repeat(MIB - 1000)}"}`;

describe.each(databases)('a list of large bodies on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' });

  it('shows them byte for byte as stored, and continues after the last one that fits', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user });
    const ids: string[] = [];
    for (let count = 0; count < BODIES; count++) {
      const raw = `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":${record}}`;
      const { body } = await service.call('POST', '/v1/notification', undefined, { raw });
      ids.unshift(body.triggers[0].id);
    }
    const found: string[] = [];
    let query: string | undefined = `?include=data&limit=100&user_id=${user}`;
    while (query) {
      const { text, body, headers } = await service.call('GET', `/v1/webhook/trigger/list${query}`);
      expect(text.length).toBeLessThan(3 * MIB);
      expect(body.data.length).toBeGreaterThan(0);
      expect(text.split(`"data":${record},"triggered_at"`).length - 1).toBe(body.data.length);
      found.push(...body.data.map(({ id }: { id: string }) => id));
      query = headers.get('link')?.match(/(\?[^>]+)>; rel="next"/)?.[1];
      expect(query === undefined).toBe(body.next_cursor === null);
    }
    expect(found).toEqual(ids);
  });
});
