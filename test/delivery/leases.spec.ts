import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DueRepository, type QueuePlace } from '../../src/engine/dispatch/due.repository.js';
import { Instance } from '../../src/engine/instance/instance.js';
import { InstanceRepository } from '../../src/engine/instance/instance.repository.js';
import { LeaseRecovery } from '../../src/engine/leases/lease-recovery.js';
import { LeaseRecoveryRepository } from '../../src/engine/leases/lease-recovery.repository.js';
import { UnknownLeases } from '../../src/engine/leases/unknown-leases.js';
import type { LeasedTrigger } from '../../src/engine/queue/leased-trigger.js';
import { QueueRepository } from '../../src/engine/queue/queue.repository.js';
import type { AttemptResult } from '../../src/engine/settle/attempt-result.js';
import { RequeueRepository } from '../../src/engine/settle/requeue.repository.js';
import { SettlementRepository } from '../../src/engine/settle/settlement.repository.js';
import { TestClock } from '../../src/module/testing/test-clock.js';
import { newId } from '../../src/platform/ids/ids.js';
import { attemptResult } from '../support/attempt-result.js';
import { claimDue, storeDue } from '../support/claims.js';
import { useClock } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { createWebhook } from '../support/webhook.js';

const NOW = Date.now();
const HOUR_MS = 3_600_000;
/** After a timeout without a heartbeat an instance counts as dead. It is looked at so often within it. */
const [TIMEOUT_MS, LOOKS] = [45_000, 9];

describe.each(databases)('leases on $name', (kind) => {
  // Only the tests claim and recover leases.
  const service = useService(kind, { ROLE: 'api' });
  let due: DueRepository;
  let queue: QueueRepository;
  let requeues: RequeueRepository;
  let settlement: SettlementRepository;
  let instances: InstanceRepository;
  let recovery: LeaseRecoveryRepository;
  const webhookId = newId();

  beforeAll(() => {
    due = service.get(DueRepository);
    queue = service.get(QueueRepository);
    requeues = service.get(RequeueRepository);
    settlement = service.get(SettlementRepository);
    instances = service.get(InstanceRepository);
    recovery = service.get(LeaseRecoveryRepository);
  });
  beforeEach(async () => {
    for (const table of ['attempt', 'trigger', 'notification', 'instance']) {
      await service.query(`DELETE FROM webhook_${table}`);
    }
  });
  const addDue = (count: number, leasedBy: string | null = null, to = webhookId) =>
    storeDue(service, to, count, { triggeredAt: NOW }, leasedBy);
  const rows = () => service.query('SELECT * FROM webhook_trigger ORDER BY id');
  const attempts = () => service.query('SELECT * FROM webhook_attempt');
  const claim = (by: string, limit = 500) => claimDue({ due, queue }, by, NOW, limit);

  const resultOf = (leased: LeasedTrigger, more: Partial<AttemptResult> = {}): AttemptResult =>
    attemptResult(leased, { beginAt: NOW, endAt: NOW + 5, requestHead: 'h', request: '{}', ...more });
  async function claimOne(by: string): Promise<LeasedTrigger> {
    const [claimed] = await claim(by);
    if (!claimed) throw new Error('Nothing was claimed.');
    return claimed;
  }

  it('go to exactly one of several claimers', async () => {
    await addDue(300);
    const claimers = Array.from({ length: 6 }, () => newId());
    const claims = await Promise.all(
      claimers.map(async (by) => {
        const own: string[] = [];
        for (let got = await claim(by, 20); got.length > 0; got = await claim(by, 20)) {
          own.push(...got.map(({ id }) => id));
        }
        return own;
      }),
    );
    const all = claims.flat();
    expect(all).toHaveLength(300);
    expect(new Set(all).size).toBe(300);
    expect(new Set((await rows()).map(({ lease }) => lease))).toEqual(new Set([1]));
  });

  it('go to due triggers, oldest first', async () => {
    await addDue(3);
    const [first, second, third] = await rows();
    const setDue = 'UPDATE webhook_trigger SET next_attempt_at = ? WHERE id = ?';
    await service.query(setDue, [NOW - 10, third.id]);
    await service.query(setDue, [NOW + 10, first.id]);
    expect((await claim('me')).map(({ id }) => id)).toEqual([third.id, second.id]);
    expect(await due.nextDueAfter(NOW)).toBe(NOW + 10);
    expect(await due.nextDueAfter(NOW + 10)).toBeNull();
  });

  it('are found behind thousands of triggers of a full webhook', async () => {
    const other = newId();
    await addDue(4000);
    await addDue(1, null, other);
    await service.query('UPDATE webhook_trigger SET next_attempt_at = ? WHERE webhook_id = ?', [
      NOW + 1,
      other,
    ]);
    const look = (behind: QueuePlace, except = [webhookId]) => due.dueOfOthers(NOW + 1, behind, 50, except);
    const { id } = (await rows())[3999];
    const first = await look({ dueAt: 0, id: '' });
    expect(first).toEqual({ found: [{ id, webhookId, dueAt: NOW }], isLast: false });
    const second = await look(first.found[0] as QueuePlace);
    expect(second).toEqual({ found: [expect.objectContaining({ webhookId: other })], isLast: true });
    expect(await look(second.found[0] as QueuePlace)).toEqual({ found: [], isLast: true });
    expect((await look({ dueAt: 0, id: '' }, [other])).found).toHaveLength(50);
  });

  it('discard a result that comes after they were lost, and cannot be requeued by who lost them', async () => {
    await addDue(1);
    const stale = await claimOne('first');
    await requeues.requeue([{ ...stale, dueAt: NOW }]);
    const fresh = await claimOne('second');
    const [before] = await rows();
    await settlement.settle([resultOf(stale)]);
    await requeues.requeueUnwanted([stale], { dueAt: NOW, endAt: NOW });
    expect(await rows()).toEqual([before]);
    expect(await attempts()).toEqual([]);
    await settlement.settle([resultOf(stale, { status: 'FAILED' }), resultOf(fresh)]);
    expect(await rows()).toMatchObject([{ status: 'SUCCEEDED', attempt_count: 1, leased_by: '' }]);
    expect(await attempts()).toHaveLength(1);
    await settlement.settle([resultOf(fresh, { status: 'FAILED' })]);
    expect(await rows()).toMatchObject([{ status: 'SUCCEEDED' }]);
    expect(await attempts()).toHaveLength(1);
  });

  it('of what nobody wants end with it, and of what is wanted again do not', async () => {
    const { id } = await createWebhook(service, { user_id: 'acme', url: 'http://127.0.0.1:9999' });
    await addDue(1, null, id);
    const wanted = await claimOne('me');
    await addDue(1);
    const unwanted = await claimOne('me');
    const at = { dueAt: NOW + 1, endAt: NOW + 2 };
    expect(await requeues.requeueUnwanted([unwanted], at)).toBe(false);
    expect(await requeues.requeueUnwanted([{ ...wanted, eventId: null }], at)).toBe(true);
    const after = await rows();
    expect(after.find(({ id: one }) => one === wanted.id)).toMatchObject({
      status: 'PENDING',
      leased_by: '',
    });
    const ended = after.find(({ id: one }) => one === unwanted.id);
    expect({ ...ended, end_at: Number(ended.end_at) }).toMatchObject({
      status: 'CANCELLED',
      end_at: NOW + 2,
    });
  });

  it('of a dead instance are requeued, 200 at a time, and those of a living one are kept', async () => {
    const [living, dead] = [newId(), newId()];
    await instances.register({ id: living });
    await addDue(2, living);
    await addDue(450, dead);
    for (const count of [200, 200, 50, 0]) expect(await recovery.recoverSome(NOW + 1)).toBe(count);
    const all = await rows();
    expect(all.filter(({ leased_by }) => leased_by === living)).toHaveLength(2);
    expect(all.filter(({ status }) => status === 'PENDING')).toMatchObject(
      Array(450).fill({ leased_by: '', lease: 2 }),
    );
    expect(await claimDue({ due, queue }, living, NOW + 1, 1000)).toHaveLength(450);
  });

  it('last as long as heartbeats, which change the row even if the clock is behind', async () => {
    const [self, other] = [newId(), newId()];
    await instances.register({ id: self });
    await instances.register({ id: other });
    const seen = async () => (await instances.others(self))[0];
    const ahead = 'UPDATE webhook_instance SET heartbeat_at = heartbeat_at + 3600000';
    await service.query(ahead);
    const before = await seen();
    expect(await instances.heartbeat(other)).toBe('listed');
    expect(await seen()).toMatchObject({ id: other, heartbeatAt: (before?.heartbeatAt ?? 0) + 1 });
    // An instance that has sent a heartbeat since is not removed.
    await instances.removeDead(before ? [before] : []);
    expect(await instances.heartbeat(other)).toBe('listed');
    await instances.removeDead(await instances.others(self));
    expect(await instances.heartbeat(other)).toBe('gone');
    expect(await instances.heartbeat(self)).toBe('listed');
  });

  it('of this process that it does not know of are requeued when seen a second time', async () => {
    const self = service.get(Instance);
    const unknown = service.get(UnknownLeases);
    await instances.register({ id: self.id });
    await addDue(2, self.id);
    const statuses = async () => (await rows()).map(({ status }) => status);
    await unknown.requeue();
    expect(await statuses()).toEqual(['DELIVERING', 'DELIVERING']);
    await unknown.requeue();
    expect(await statuses()).toEqual(['PENDING', 'PENDING']);
  });

  // On SQLite there is no other instance.
  const onMariadb = kind.name === 'MariaDB' ? it : it.skip;

  onMariadb('last until no heartbeat has come for the timeout, also if a clock is an hour off', async () => {
    const takeOver = () => service.get(LeaseRecovery).takeOver();
    const [beating, ended] = [newId(), newId()];
    const beat = (id: string, at: number) =>
      service.query('REPLACE INTO webhook_instance (id, started_at, heartbeat_at) VALUES (?, 0, ?)', [
        id,
        at,
      ]);
    const listed = async () => (await instances.others('')).map(({ id }) => id);
    const clock = new TestClock();
    service.database.defer(useClock(clock));
    // One clock is an hour behind, the other one ahead.
    await beat(ended, NOW + HOUR_MS);
    for (let look = 0; look <= LOOKS; look++) {
      await beat(beating, NOW - HOUR_MS + look);
      await takeOver();
      expect(await listed()).toEqual(look < LOOKS ? [beating, ended].sort() : [beating]);
      clock.advance(TIMEOUT_MS / LOOKS);
    }
  });
});
