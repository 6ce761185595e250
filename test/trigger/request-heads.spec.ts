import { afterEach, describe, expect, it } from '@jest/globals';
import { v7 } from 'uuid';
import { RequestHeadSweep } from '../../src/engine/send/head/request-head-sweep.js';
import { Database } from '../../src/store/database.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { attempted, finished, newUser, trigger } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 3_600_000;

describe.each(databases)('stored requests and answers on $name', (kind) => {
  const service = useService(kind);
  const { query } = service;
  const receiver = useReceiver();

  afterEach(() => receiver.respondWith({}));

  const heads = async (): Promise<string[]> =>
    (await query('SELECT id FROM webhook_request_head ORDER BY id')).map(({ id }: { id: string }) => id);

  /** Delivers a trigger of a new webhook. @returns it with the head of its only request. */
  async function delivered(headers: Record<string, string> = {}) {
    const user = newUser();
    const url = `${receiver.url}/?user=${user}`;
    const webhook = await createWebhook(service, { user_id: user, url, headers });
    return { webhook, ...(await deliveredNext(user)) };
  }
  async function deliveredNext(user: string) {
    const found = await finished(service, await trigger(service, user));
    const [row] = await query('SELECT request_head FROM webhook_attempt WHERE trigger_id = ?', [found.id]);
    return { found, head: row.request_head as string };
  }
  const age = (head: string, ms: number) =>
    query('UPDATE webhook_request_head SET stored_at = ? WHERE id = ?', [Date.now() - ms, head]);

  /** Backdates a trigger by so many milliseconds. */
  async function remake(id: string, ms: number): Promise<void> {
    const made = v7({ msecs: Date.now() - ms });
    await query('UPDATE webhook_trigger SET id = ? WHERE id = ?', [made, id]);
    await query('UPDATE webhook_attempt SET trigger_id = ? WHERE trigger_id = ?', [made, id]);
  }

  it('are deleted in the background after the last attempt that refers to them', async () => {
    const kept = await delivered();
    const fresh = await delivered();
    const unused = await delivered();
    await query('DELETE FROM webhook_attempt WHERE trigger_id IN (?, ?)', [fresh.found.id, unused.found.id]);
    await age(kept.head, 2 * DAY_MS - HOUR_MS);
    await age(unused.head, 2 * DAY_MS);
    for (const { found } of [kept, unused]) await remake(found.id, 2 * DAY_MS);
    await service.get(RequestHeadSweep).sweep();
    expect(await heads()).toEqual([kept.head, fresh.head].sort());
  });

  it('stay while an attempt refers to them, however many triggers follow', async () => {
    const { webhook, found, head } = await delivered();
    await remake(found.id, 3 * DAY_MS);
    const rows = Array.from({ length: 1200 }, (_, i) => [
      v7({ msecs: Date.now() - 2 * DAY_MS + i }),
      ...['n', webhook.id, 'K', webhook.user_id, 'SUCCEEDED'],
    ]);
    const columns = ['id', 'notification_id', 'webhook_id', 'event_kind', 'user_id', 'status'];
    await service.get(Database).writeTogether([{ table: 'webhook_trigger', columns, rows }]);
    await age(head, 2 * DAY_MS - 1000);
    await service.get(RequestHeadSweep).sweep();
    expect(await heads()).toContain(head);
    await query('DELETE FROM webhook_attempt WHERE request_head = ?', [head]);
    await service.get(RequestHeadSweep).sweep();
    expect(await heads()).not.toContain(head);
  });

  it('are left out of an answer when they are missing or cannot be decrypted', async () => {
    const { found, head } = await delivered();
    expect(found.request_data).toMatchObject({ method: 'POST' });
    await query(`UPDATE webhook_request_head SET sealed_head = 'k0.AAAA' WHERE id = ?`, [head]);
    const look = async () => (await service.call('GET', `/v1/webhook/trigger?id=${found.id}`)).body;
    const without = { status: 'SUCCEEDED', request_data: { url: null, headers: {} } };
    expect(await look()).toMatchObject(without);
    await query('DELETE FROM webhook_request_head WHERE id = ?', [head]);
    expect(await look()).toMatchObject(without);
  });

  it('are shared by all requests of a webhook until it changes', async () => {
    const { webhook, head } = await delivered({ 'X-Team': 'risk' });
    expect((await deliveredNext(webhook.user_id)).head).toBe(head);
    await service.call('PATCH', '/v1/webhook', { id: webhook.id, headers: { 'X-Team': 'fraud' } });
    expect((await deliveredNext(webhook.user_id)).head).not.toBe(head);
  });

  it('contain no webhook header that a receiver echoes', async () => {
    receiver.respondWith(({ headers }) => ({
      status: 400,
      headers: { 'X-Echo': `you said ${headers['x-team']}` },
      body: JSON.stringify({ authorization: headers.authorization, cookie: headers.cookie }),
    }));
    const user = newUser();
    const own = { Authorization: 'Bearer t0p/"s3cret', Cookie: 'sid=c00kie', 'X-Team': 'r1sk-team' };
    await createWebhook(service, { user_id: user, url: receiver.url, headers: own });
    const id = await trigger(service, user);
    const { response_data } = await attempted(service, id);
    expect(response_data.headers['x-echo']).toBe('you said ********');
    expect(JSON.parse(response_data.body)).toEqual({ authorization: '********', cookie: '********' });
    const stored = JSON.stringify(await query('SELECT * FROM webhook_attempt WHERE trigger_id = ?', [id]));
    for (const value of ['s3cret', 'c00kie', 'r1sk']) expect(stored).not.toContain(value);
  });

  it('contain no part of a credential when a long body is cut in the middle of it', async () => {
    const token = 'T0p-S3cret-Value';
    receiver.respondWith(({ headers }) => ({
      body: `${'.'.repeat(16 * 1024 - 8)}${headers['x-token']}${'.'.repeat(1024)}`,
    }));
    const { found } = await delivered({ 'X-Token': token });
    expect(found.response_data.truncated).toBe(true);
    expect(found.response_data.body).toMatch(/^\.+\*{8}$/);
  });
});
