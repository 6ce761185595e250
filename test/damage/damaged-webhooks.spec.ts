import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { type Json, newUser, notify } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { useDamage } from './damage.js';

interface Column {
  column: string;
  /** Values that only this column cannot hold. */
  more?: string[];
  /** What its owner changes to repair it; a new secret if nothing. */
  repair?: (url: string) => object;
  /** Sent to all the same. */
  isSent?: boolean;
}

const COLUMNS: Column[] = [
  {
    column: 'settings',
    more: ['{"retryScheduleSeconds":{}}', '{"concurrency":"x"}', '{"ordering":"rec"}', '{"timeoutMs":-1}'],
    repair: () => ({ settings: { concurrency: 3 } }),
  },
  { column: 'metadata', more: ['{"a":1}'], repair: () => ({ metadata: { a: 'b' } }), isSent: true },
  { column: 'sealed_headers', more: ['{"a":1}'], repair: () => ({ headers: {} }) },
  {
    column: 'sealed_authentication',
    more: ['{"type":"basic"}', '{"type":"toString"}', '{"type":"bearer","token":null}'],
    repair: () => ({ authentication: null }),
  },
  { column: 'sealed_tls', more: ['{"ca":1}', '{}'], repair: () => ({ tls: null }) },
  { column: 'sealed_secret' },
  { column: 'sealed_previous_secrets', more: ['[{"secret":1}]', '[null]'] },
  { column: 'url', more: ['http://', 'x y'], repair: (url) => ({ url, headers: {}, authentication: null }) },
  { column: 'signature_scheme', more: ['none'], repair: () => ({ signature: null }) },
];

/** An object of settings that nobody knows: a later version may have stored them. */
const UNKNOWN_SETTINGS = '{"a":{"b":[null]}}';

describe.each(databases)('a webhook whose row is damaged on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0' });
  const damage = useDamage(service);
  const receiver = useReceiver();
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const create = () =>
    createWebhook(service, {
      user_id: user,
      url: receiver.url,
      headers: { 'x-key': 'secret' },
      authentication: { type: 'basic', username: 'a', password: 'b' },
      metadata: { team: 'a' },
      settings: { concurrency: 2 },
    });

  const find = (id: string) => service.call('GET', `/v1/webhook?id=${id}`);

  /** What became of a notification at each of the user's webhooks. */
  async function sent(): Promise<Map<string, string>> {
    const { id } = (await notify(service, user)).body;
    const triggers = await until(async () => {
      const path = `/v1/webhook/trigger/list?notification_id=${id}&limit=100`;
      const { data } = (await service.call('GET', path)).body;
      return data.every(({ status }: Json) => ['SUCCEEDED', 'FAILED'].includes(status)) && data;
    });
    return new Map(
      triggers.map(({ webhook_id, error, status }: Json) => [webhook_id, error?.code ?? status]),
    );
  }

  it.each(COLUMNS)('is shown, harms nobody and can be repaired: $column', async (of) => {
    const { column, more, repair, isSent } = of;
    const valuesFor = (id: string) =>
      column.startsWith('sealed_') ? damage.sealedValues(id, more) : damage.values(more);
    const { id: whole } = await create();
    const damaged = new Map<string, string>();
    for (const at of valuesFor(whole).keys()) {
      const { id } = await create();
      const value = valuesFor(id)[at] as string;
      if (await damage.set(`UPDATE webhook SET ${column} = ? WHERE id = ?`, [value, id]))
        damaged.set(id, value);
    }
    const listed = await service.call('GET', '/v1/webhook/list?limit=100');
    expect(listed.body.data.map(({ id }: Json) => id)).toEqual(
      expect.arrayContaining([whole, ...damaged.keys()]),
    );
    expect((await service.call('GET', '/v1/webhook/recover/list')).status).toBe(200);

    const ends = await sent();
    expect(ends.get(whole)).toBe('SUCCEEDED');
    for (const [id, value] of damaged) {
      const isUseful = column === 'sealed_secret' || isSent || value === UNKNOWN_SETTINGS;
      if (!isUseful) expect([value, ends.get(id)]).toEqual([value, 'internal']);
      // Another field can be changed, whatever this one holds.
      const renamed = await service.call('PATCH', '/v1/webhook', { id, name: 'renamed' });
      expect([value, renamed.status]).toEqual([value, 200]);
      damage.expectToldOnce(id);
    }
    for (const { body } of receiver.requests.splice(0)) JSON.parse(body.toString());

    const id = [...damaged.keys()].at(-1) as string;
    expect((await find(id)).status).toBe(200);
    const repaired = await (repair
      ? service.call('PATCH', '/v1/webhook', { id, ...repair(receiver.url) })
      : service.call('POST', '/v1/webhook/secret/rotate', { id, overlap_seconds: 0 }));
    expect(repaired.status).toBe(200);
    expect((await find(id)).body.unreadable).toEqual([]);
    expect((await sent()).get(id)).toBe('SUCCEEDED');
    expect((await service.call('DELETE', `/v1/webhook?id=${id}`)).status).toBe(200);
  });

  it('is made what a PUT says, whatever is damaged', async () => {
    const wanted = { uid: user, user_id: user, name: 'x', url: receiver.url, events: ['RECORD_FINISHED'] };
    const { id } = (await service.call('PUT', '/v1/webhook', wanted)).body;
    for (const column of ['settings', 'metadata'])
      await damage.set(`UPDATE webhook SET ${column} = '{"' WHERE id = ?`, [id]);
    expect((await service.call('PUT', '/v1/webhook', wanted)).body.unreadable).toEqual([]);
    const [row] = await service.query('SELECT settings, metadata FROM webhook WHERE id = ?', [id]);
    expect(row).toEqual({ settings: null, metadata: null });
  });
});
