import { describe, expect, it } from '@jest/globals';
import { QueueRepository } from '../../../src/engine/queue/queue.repository.js';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser, notify, record, trigger } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';

const MEBIBYTE = 1024 * 1024;
const COUNT = 100;

describe.each(databases)('large bodies among those that wait on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' }, 'test');
  const receiver = useReceiver('test');

  async function waiting(user: string): Promise<string[]> {
    await createWebhook(service, { user_id: user, url: receiver.url });
    return Promise.all(Array.from({ length: COUNT }, () => trigger(service, user)));
  }
  const claim = async (ids: string[]) => {
    const claimed = await service.get(QueueRepository).claim('me', ids);
    expect(claimed).toHaveLength(ids.length);
    return claimed.map(({ notification }) => notification);
  };

  it('are read up to 64 MiB by a claim', async () => {
    const ids = await waiting(newUser());
    const large = kind.name === 'SQLite' ? `zeroblob(${MEBIBYTE})` : `REPEAT('x', ${MEBIBYTE})`;
    await service.query(`UPDATE webhook_notification SET body = ${large}`);
    const claimed = await claim(ids);
    const bodies = claimed.flatMap(({ body }) => body ?? []);
    expect(bodies.every((body) => Buffer.isBuffer(body) && body.length === MEBIBYTE)).toBe(true);
    expect(bodies).toHaveLength(64);
    expect(claimed.filter(({ isUnread }) => isUnread)).toHaveLength(COUNT - 64);
  });

  it('are read byte for byte where they are few, and so are those beside them', async () => {
    const user = newUser();
    const ids = await waiting(user);
    const name = 'x'.repeat(900 * 1024);
    const { body } = await notify(service, user, { record: { ...record, name } });
    const claimed = await claim([...ids, body.triggers[0].id]);
    const names = claimed.map((one) => JSON.parse(String(one.body)).data.name);
    expect(names).toEqual([...Array<string>(COUNT).fill(record.name), name]);
  });
});
