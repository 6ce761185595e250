import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { finished, newUser, notify } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { useDamage } from './damage.js';

interface Column {
  column: string;
  /** Values that only this column cannot hold. */
  more?: string[];
  /** What its owner changes to repair it; a new secret if nothing. */
  repair?: object;
  /** Sent to all the same. */
  isSent?: boolean;
}

const COLUMNS: Column[] = [
  {
    column: 'settings',
    more: ['{"retryScheduleSeconds":{}}', '{"concurrency":"x"}', '{"ordering":"rec"}', '{"timeoutMs":-1}'],
    repair: { settings: { concurrency: 3 } },
  },
  { column: 'metadata', more: ['{"a":1}'], repair: { metadata: { a: 'b' } }, isSent: true },
  { column: 'sealed_headers', more: ['{"a":1}'], repair: { headers: {} } },
  {
    column: 'sealed_authentication',
    more: ['{"type":"basic"}', '{"type":"toString"}', '{"type":"bearer","token":null}'],
    repair: { authentication: null },
  },
  { column: 'sealed_tls', more: ['{"ca":1}', '{}'], repair: { tls: null } },
  { column: 'sealed_secret' },
  { column: 'sealed_previous_secrets', more: ['[{"secret":1}]', '[null]'] },
  { column: 'url', more: ['http://', 'x y'], repair: { url: 'URL', headers: {}, authentication: null } },
  { column: 'signature_scheme', more: ['none'], repair: { signature: null } },
];

/** An object of settings that nobody knows: a later version may have stored them. */
const UNKNOWN_SETTINGS = '{"a":{"b":[null]}}';

describe.each(databases)('a webhook whose row is damaged on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0' });
  const damage = useDamage(service);
  const receiver = useReceiver();
  const neighbour = newUser();
  let user: string;

  beforeAll(async () => {
    await createWebhook(service, { user_id: neighbour, url: `${receiver.url}/neighbour` });
  });
  beforeEach(() => {
    user = newUser();
  });

  /** What shows everybody's webhooks, and what shows this one. */
  async function expectShown(id: string, value: string): Promise<void> {
    for (const path of ['/v1/webhook/list', '/v1/webhook/recover/list', `/v1/webhook?id=${id}`]) {
      const { status, text } = await service.call('GET', path);
      expect([value, path, status]).toEqual([value, path, 200]);
      expect(text).toContain(path.endsWith('recover/list') ? 'data' : id);
    }
  }

  const statusOf = async (of: string) => {
    const { body } = await notify(service, of);
    const { status, error } = await finished(service, body.triggers[0].id);
    return error ? error.code : status;
  };

  it.each(COLUMNS)(
    'is shown, harms nobody and can be repaired: $column',
    async (of) => {
      const { column, more, repair, isSent } = of;
      const { id } = await createWebhook(service, {
        user_id: user,
        url: `${receiver.url}/damaged`,
        headers: { 'x-key': 'secret' },
        authentication: { type: 'basic', username: 'a', password: 'b' },
        metadata: { team: 'a' },
        settings: { concurrency: 2 },
      });
      const isSealed = column.startsWith('sealed_');
      for (const value of isSealed ? damage.sealedValues(id, more) : damage.values(more)) {
        if (!(await damage.set(`UPDATE webhook SET ${column} = ? WHERE id = ?`, [value, id]))) continue;
        await expectShown(id, value);
        const sent = await statusOf(user);
        const known = column === 'sealed_secret' ? true : isSent || value === UNKNOWN_SETTINGS;
        if (!known) expect([value, sent]).toEqual([value, 'internal']);
        // Another field can be changed, whatever this one holds.
        const renamed = await service.call('PATCH', '/v1/webhook', { id, name: 'renamed' });
        expect([value, renamed.status]).toEqual([value, 200]);
      }
      expect(await statusOf(neighbour)).toBe('SUCCEEDED');
      for (const { body } of receiver.requests.splice(0)) JSON.parse(body.toString());
      damage.expectToldOnce(id);

      const change = JSON.stringify({ id, ...repair }).replace('"URL"', `"${receiver.url}/damaged"`);
      const repaired = await (repair
        ? service.call('PATCH', '/v1/webhook', JSON.parse(change))
        : service.call('POST', '/v1/webhook/secret/rotate', { id, overlap_seconds: 0 }));
      expect(repaired.status).toBe(200);
      expect((await service.call('GET', `/v1/webhook?id=${id}`)).body.unreadable).toEqual([]);
      expect(await statusOf(user)).toBe('SUCCEEDED');
      expect((await service.call('DELETE', `/v1/webhook?id=${id}`)).status).toBe(200);
    },
    60_000,
  );

  it('is made what a PUT says, whatever is damaged', async () => {
    const wanted = { uid: user, user_id: user, name: 'x', url: receiver.url, events: ['RECORD_FINISHED'] };
    const { id } = (await service.call('PUT', '/v1/webhook', wanted)).body;
    for (const column of ['settings', 'metadata'])
      await damage.set(`UPDATE webhook SET ${column} = '{"' WHERE id = ?`, [id]);
    expect((await service.call('PUT', '/v1/webhook', wanted)).body.unreadable).toEqual([]);
    const [row] = await damage.query('SELECT settings, metadata FROM webhook WHERE id = ?', [id]);
    expect(row).toEqual({ settings: null, metadata: null });
  });
});
