import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useSharing } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { StreamReader } from '../../support/stream.js';

const PATH = '/v1/notification/stream';

describe.each(databases)('the stream of notifications on $name', (kind) => {
  const services = useSharing(kind);
  const [service] = services;
  const open: StreamReader[] = [];
  let user: string;
  let key: string;

  beforeEach(async () => {
    user = newUser();
    key = await service.keyFor(user, 'webhooks:read');
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });

  async function follow(query = '', lastId = ''): Promise<StreamReader> {
    const stream = await StreamReader.open(service.url + PATH + query, { key, lastId });
    open.push(stream);
    return stream;
  }

  it('brings large bodies one after the other', async () => {
    const stream = await follow();
    const text = '"'.repeat(400_000);
    const sent = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        notify(service, user, { record: { id: `r${i}`, text, analysis: [] } }),
      ),
    );
    for (const { body } of sent) {
      const { data } = await stream.when(({ id }) => id === body.id, 30_000);
      expect(JSON.parse(data.body).data.text).toHaveLength(text.length);
    }
  }, 90_000);
});
