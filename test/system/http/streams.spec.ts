import { afterEach, describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { StreamReader } from '../../support/stream.js';
import { until } from '../../support/until.js';

const TRIGGERS = '/v1/webhook/trigger/stream';

describe.each(databases)('streams on $name', (kind) => {
  const service = useService(kind);
  const open: StreamReader[] = [];
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });

  const keyOf = (user: string) => service.keyFor(user, 'webhooks:read');
  /** Places that were given up may still be taken for a moment. */
  async function follow(key: string, path = TRIGGERS): Promise<StreamReader> {
    const stream = await until(() => StreamReader.open(service.url + path, { key }).catch(() => null));
    open.push(stream);
    return stream;
  }

  it('end at once when the service stops', async () => {
    const stream = await follow(await keyOf(newUser()));
    const begin = performance.now();
    await service.stop();
    expect(performance.now() - begin).toBeLessThan(5000);
    await until(() => stream.isOver);
  });
});
