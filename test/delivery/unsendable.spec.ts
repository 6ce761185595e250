import { describe, expect, it } from '@jest/globals';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { moveClock } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { attempted, finished, newUser, notify, triggerWhen } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const waits = ({ status, attempt_count }: { status: string; attempt_count: number }) =>
  status === 'PENDING' && attempt_count === 1;

describe.each(databases)('a trigger that cannot be sent, on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '600' });
  const receiver = useReceiver('test');

  async function update(column: string, id: string, value: string): Promise<void> {
    await service.query(`UPDATE webhook SET ${column} = ? WHERE id = ?`, [value, id]);
    service.get(QueueSignals).emit('webhookChanged', id);
  }
  /** A user with two webhooks. */
  async function scene(settings?: object) {
    const user = newUser();
    const one = { user_id: user, url: receiver.url, ...(settings && { settings }) };
    const { id: bad } = await createWebhook(service, one);
    await createWebhook(service, one);
    const triggers = async () => {
      const { status, body } = await notify(service, user);
      expect(status).toBe(202);
      return body.triggers.map(({ id }: { id: string }) => id);
    };
    return { bad, triggers };
  }

  it.each([
    ['secret', 'sealed_secret', /signing secret/],
    ['headers', 'sealed_headers', /headers/],
    ['authentication', 'sealed_authentication', /authentication/],
    ['tls', 'sealed_tls', /TLS certificate and key/],
  ])(
    'fails alone, with the reason, on the usual schedule, when its %s cannot be read',
    async (fault, column, message) => {
      const webhooks = await scene();
      await update(column, webhooks.bad, `gone.${'A'.repeat(64)}`);
      const [bad, good] = await webhooks.triggers();
      expect(await finished(service, good)).toMatchObject({ status: 'SUCCEEDED' });
      const { attempts, next_attempt_at, request_data } = await triggerWhen(service, bad, waits);
      expect(Date.parse(next_attempt_at) - Date.parse(attempts[0].end)).toBeGreaterThan(400_000);
      expect(request_data).toMatchObject({ url: null });
      moveClock(3_600_000);
      const failed = await finished(service, bad);
      expect(failed).toMatchObject({ status: 'FAILED', attempt_count: 2, error: { code: 'internal' } });
      expect(failed.error.message).toMatch(message);
      expect(failed.diagnosis.advice).toMatch(/^Nothing is wrong with your receiver/);
      expect(failed.error.message).not.toContain('gone');
      expect((await service.call('GET', '/metrics')).text).toMatch(
        new RegExp(`webhook_triggers_unsendable_total\\{reason="${fault}"\\} [1-9]`),
      );
    },
  );

  it('fails alone, with the reason, when the settings of its webhook cannot be read', async () => {
    const webhooks = await scene({ ordering: 'record', retry_schedule_seconds: [0] });
    const [bad, good] = await webhooks.triggers();
    for (const id of [bad, good]) await finished(service, id);
    await update('settings', webhooks.bad, '{"ordering":"rec');
    // Both have to be put back into their groups.
    await service.call('POST', '/v1/webhook/trigger/retry', { ids: [bad, good] });
    const [, fresh] = await webhooks.triggers();
    for (const id of [good, fresh])
      expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    const failed = await attempted(service, bad, 2);
    expect(failed.error.message).toMatch(/settings/);
  });

  it('fails alone, with the reason, when its notification is missing', async () => {
    const webhooks = await scene();
    receiver.respondWith({ status: 500 });
    const lost = await webhooks.triggers();
    for (const id of lost) await triggerWhen(service, id, waits);
    receiver.respondWith({});
    const [one] = await service.query('SELECT notification_id FROM webhook_trigger WHERE id = ?', [lost[0]]);
    await service.query('DELETE FROM webhook_notification WHERE id = ?', [one.notification_id]);
    moveClock(3_600_000);
    for (const id of await webhooks.triggers())
      expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    for (const id of lost) {
      const failed = await finished(service, id);
      expect(failed).toMatchObject({ status: 'FAILED', attempt_count: 2, error: { code: 'internal' } });
      expect(failed.error.message).toMatch(/notification/);
    }
  });
});
