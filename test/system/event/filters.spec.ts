import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { leastBlockMs } from '../support/computing.js';

const KIND = 'RECORD_FINISHED';
const rec = (fields: object) => ({ record: { id: 'rec_1', analysis: [], ...fields } });

describe.each(databases)('the filter of an event on $name', (kind) => {
  const receiver = useReceiver();
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const create = (filter: unknown, fields: object = {}) =>
    createWebhook(service, {
      user_id: user,
      url: `${receiver.url}/${user}`,
      events: [{ kind: KIND, filter }],
      ...fields,
    });
  const triggersOf = async (fields: object) => {
    const { status, body, text } = await notify(service, user, rec(fields));
    if (status !== 202) throw new Error(text);
    return body.triggers.map(({ webhook_id }: { webhook_id: string }) => webhook_id);
  };

  it('of all webhooks together does not hold up the process while it is read and compiled', async () => {
    const operands = (n: number) => Array.from({ length: 2500 }, (_, i) => [i + n].slice(i % 2));
    for (let n = 0; n < 30; n++) await create({ a: { $nin: operands(n % 10) }, b: n });
    const judge = async () => expect(await triggersOf({ a: 1, b: -1 })).toEqual([]);
    expect(await leastBlockMs(judge, 100)).toBeLessThan(100);
  });
});
