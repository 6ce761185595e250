import { beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { moveClock } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser, notify, triggerWhen } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const waits = ({ status, attempt_count }: { status: string; attempt_count: number }) =>
  status === 'PENDING' && attempt_count === 1;

describe.each(databases)('a trigger that cannot be sent, on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '600' });
  const receiver = useReceiver();
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const query = (sql: string, parameters: unknown[]) => service.app.get(DataSource).query(sql, parameters);
  async function update(column: string, id: string, value: string): Promise<void> {
    await query(`UPDATE webhook SET ${column} = ? WHERE id = ?`, [value, id]);
    service.get(QueueSignals).emit('webhookChanged', id);
  }
  const scrape = async () => (await service.call('GET', '/metrics')).text;

  /** Triggers of a good and a bad webhook that have both failed once and are due at the same time. */
  async function dueTogether(): Promise<{ bad: string; good: string; badWebhook: string }> {
    receiver.respondWith({ status: 500 });
    const { id: badWebhook } = await createWebhook(service, { user_id: user, url: `${receiver.url}/bad` });
    await createWebhook(service, { user_id: user, url: `${receiver.url}/good` });
    const { body } = await notify(service, user);
    const [bad, good] = ['bad', 'good'].map((_, i) => body.triggers[i].id);
    for (const id of [bad, good]) await triggerWhen(service, id, waits);
    receiver.respondWith({});
    return { bad, good, badWebhook };
  }

  it.each([
    ['secret', 'sealed_secret', /signing secret/],
    ['headers', 'sealed_headers', /headers/],
    ['authentication', 'sealed_authentication', /authentication/],
    ['tls', 'sealed_tls', /TLS certificate and key/],
  ])('fails alone, with the reason, when its %s cannot be read', async (fault, column, message) => {
    const { bad, good, badWebhook } = await dueTogether();
    await update(column, badWebhook, `gone.${'A'.repeat(64)}`);
    moveClock(3_600_000);
    expect(await finished(service, good)).toMatchObject({ status: 'SUCCEEDED' });
    const failed = await finished(service, bad);
    expect(failed).toMatchObject({ status: 'FAILED', attempt_count: 2, error: { code: 'internal' } });
    expect(failed.error.message).toMatch(message);
    expect(failed.error.message).not.toContain('gone');
    expect(failed.attempts).toHaveLength(2);
    expect(await scrape()).toMatch(
      new RegExp(`webhook_triggers_unsendable_total\\{reason="${fault}"\\} [1-9]`),
    );
  });

  it('fails alone, with the reason, when the settings of its webhook cannot be read', async () => {
    const settings = { ordering: 'record', retry_schedule_seconds: [0] };
    const { id: badWebhook } = await createWebhook(service, { user_id: user, url: receiver.url, settings });
    await createWebhook(service, { user_id: user, url: receiver.url, settings });
    const [bad, good] = (await notify(service, user)).body.triggers.map(({ id }: { id: string }) => id);
    for (const id of [bad, good]) await finished(service, id);
    await update('settings', badWebhook, '{"ordering":"rec');
    // Both have to be put back into their groups.
    await service.call('POST', '/v1/webhook/trigger/retry', { ids: [bad, good] });
    const { status, body } = await notify(service, user);
    expect(status).toBe(202);
    const fresh = body.triggers.map(({ id }: { id: string }) => id);
    moveClock(3_600_000);
    for (const id of [good, fresh[1]])
      expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    const failed = await triggerWhen(service, bad, ({ attempt_count }) => attempt_count >= 2);
    expect(failed.error.message).toMatch(/settings/);
  });

  it('fails alone, with the reason, when its notification is missing', async () => {
    const { bad, good } = await dueTogether();
    const one = (await service.call('GET', `/v1/webhook/trigger?id=${bad}`)).body;
    await query('DELETE FROM webhook_notification WHERE id = ?', [one.notification_id]);
    const other = (await notify(service, user)).body.triggers.map(({ id }: { id: string }) => id);
    moveClock(3_600_000);
    for (const id of other) expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    for (const id of [bad, good]) {
      const failed = await finished(service, id);
      expect(failed).toMatchObject({ status: 'FAILED', attempt_count: 2, error: { code: 'internal' } });
      expect(failed.error.message).toMatch(/notification/);
    }
  });

  it('is retried on the usual schedule', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: receiver.url });
    await update('sealed_secret', id, `gone.${'A'.repeat(64)}`);
    const { body } = await notify(service, user);
    const waiting = await triggerWhen(service, body.triggers[0].id, waits);
    expect(Date.parse(waiting.next_attempt_at) - Date.parse(waiting.attempts[0].end)).toBeGreaterThan(
      400_000,
    );
    expect(waiting.request_data).toMatchObject({ url: null });
  });
});
