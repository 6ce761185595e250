import { beforeEach, describe, expect, it } from '@jest/globals';
import { TriggerService } from '../../../src/trigger/trigger.service.js';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { finished, newUser, trigger } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

/** Failures in a row that make the breaker pause. */
const FAILURES_TO_OPEN = 5;

describe.each(databases)('the cause of an attempt on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '1,1,1,3600' });
  const receiver = useReceiver('test');
  let user: string;
  let webhookId: string;

  beforeEach(async () => {
    user = newUser();
    ({ id: webhookId } = await createWebhook(service, { user_id: user, url: receiver.url }));
  });

  const causesOf = ({ attempts }: { attempts: { cause: string }[] }) => attempts.map(({ cause }) => cause);
  /** Makes it due, as a process does that gives it back. */
  const requeue = (id: string) =>
    service.query(`UPDATE webhook_trigger SET status = 'PENDING', next_attempt_at = 1 WHERE id = ?`, [id]);

  it('is schedule for the first attempt and for those of the schedule', async () => {
    receiver.respondWith([{ status: 400 }, { status: 400 }, {}]);
    const found = await finished(service, await trigger(service, user));
    expect(found.status).toBe('SUCCEEDED');
    expect(causesOf(found)).toEqual(['schedule', 'schedule', 'schedule']);
  });

  it('is test for the first attempt of a test, and schedule afterwards', async () => {
    receiver.respondWith([{ status: 400 }, {}]);
    const { body } = await service.call('POST', '/v1/webhook/test', { id: webhookId });
    expect(causesOf(await finished(service, body.id))).toEqual(['test', 'schedule']);
  });

  it('is test for a test that a process claims before its first attempt', async () => {
    const { body } = await service.call('POST', '/v1/webhook/test', { id: webhookId });
    await finished(service, body.id);
    await service.query('DELETE FROM webhook_attempt WHERE trigger_id = ?', [body.id]);
    await service.query(`UPDATE webhook_trigger SET attempt_count = 0 WHERE id = ?`, [body.id]);
    await requeue(body.id);
    expect(causesOf(await finished(service, body.id))).toEqual(['test']);
  });

  it.each(['retry', 'recover'])('is %s where the row says so, for one attempt', async (cause) => {
    receiver.respondWith([{ status: 400 }, {}]);
    const id = await trigger(service, user);
    await finished(service, id);
    receiver.respondWith([{ status: 400 }, {}]);
    await service.query(
      `UPDATE webhook_trigger SET cause = ?, schedule_offset = attempt_count WHERE id = ?`,
      [cause, id],
    );
    await requeue(id);
    const found = await until(async () => {
      const one = await finished(service, id);
      return one.attempts.length === 4 && one;
    });
    expect(causesOf(found)).toEqual(['schedule', 'schedule', cause, 'schedule']);
    expect(await service.query('SELECT cause FROM webhook_trigger WHERE id = ?', [id])).toEqual([
      { cause: 'schedule' },
    ]);
  });

  it('is probe for the attempt that tests a paused receiver', async () => {
    receiver.respondWith([...Array(FAILURES_TO_OPEN).fill({ status: 503 }), {}]);
    const ids = await Promise.all(Array.from({ length: FAILURES_TO_OPEN }, () => trigger(service, user)));
    const found = await Promise.all(ids.map((id) => finished(service, id)));
    expect(found.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
    const second = found.map(({ attempts }) => attempts[1].cause).sort();
    expect(second).toEqual(['probe', 'schedule', 'schedule', 'schedule', 'schedule']);
  });

  it('is shown in the list of attempts, and by the service', async () => {
    const { body } = await service.call('POST', '/v1/webhook/test', { id: webhookId });
    await finished(service, body.id);
    const list = await service.call('GET', `/v1/webhook/trigger/attempt/list?trigger_id=${body.id}`);
    expect(list.body.data).toMatchObject([{ cause: 'test', diagnosis: null }]);
    const own = await service.get(TriggerService).attempts(user, { triggerId: body.id });
    expect(own.data).toMatchObject([{ cause: 'test', diagnosis: null }]);
  });
});
