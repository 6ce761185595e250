import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WatchRepository } from '../../src/engine/changes/watch.repository.js';
import { Ledger } from '../../src/engine/ledger/ledger.repository.js';
import { NEVER_DUE } from '../../src/engine/ledger/never-due.js';
import type { ResendingName, TransitionName } from '../../src/engine/ledger/transitions.js';
import { newId } from '../../src/platform/ids/ids.js';
import { Database } from '../../src/store/database.js';
import { TRIGGER_STATUSES } from '../../src/store/tables/trigger/trigger.entity.js';
import { databases } from '../support/databases.js';
import { useService, useTestClock } from '../support/fixture.js';
import { webhookRows } from '../support/webhook.js';

type Status = (typeof TRIGGER_STATUSES)[number];

/** What a transition may change of a trigger, as it is at first. */
function stateOf(status: Status, attempts: number, ordered: number) {
  const isOver = status !== 'PENDING' && status !== 'DELIVERING';
  return {
    status,
    end_at: isOver ? 1_000_000 : 0,
    next_attempt_at: isOver ? 0 : 1_500_000,
    attempt_count: attempts,
    schedule_offset: 0,
    cause: 'schedule',
    cancelled_for: null as string | null,
    leased_by: status === 'DELIVERING' ? 'somebody' : '',
    lease: attempts,
    ordered,
  };
}
type State = ReturnType<typeof stateOf>;
const COLUMNS = Object.keys(stateOf('PENDING', 0, 0)) as (keyof State)[];
const state = fc
  .tuple(fc.constantFrom(...TRIGGER_STATUSES), fc.nat(5), fc.nat(1))
  .map((one) => stateOf(...one));

interface Trigger {
  id: string;
  notificationId: string;
  state: State;
}

/** What a step does. */
type Act = TransitionName | ResendingName;

/** What each promises, written down once more in plain terms. */
const EXPECTED: Record<Act, (before: State, at: number) => Partial<State> | null> = {
  cancel: ({ status }, at) => (status === 'PENDING' ? cancelled(at, null) : null),
  supersede: ({ status }, at) => (status === 'PENDING' ? cancelled(at, 'superseded') : null),
  erase: ({ status }, at) =>
    status === 'PENDING' || status === 'DELIVERING' ? cancelled(at, 'erased') : null,
  retry: (before, at) => again(before, { next_attempt_at: before.ordered ? NEVER_DUE : -at, cause: 'retry' }),
  reclaim: ({ status }, at) => (status === 'DELIVERING' ? { status: 'PENDING', next_attempt_at: at } : null),
  block: ({ status }) => (status === 'PENDING' ? { next_attempt_at: NEVER_DUE } : null),
  unblock: ({ status, next_attempt_at, cause, attempt_count, schedule_offset }, at) => {
    if (status !== 'PENDING' || next_attempt_at !== NEVER_DUE) return null;
    return { next_attempt_at: cause === 'retry' && attempt_count === schedule_offset ? -at : at };
  },
  recover: (before, at) =>
    isReplayed(before)
      ? again(before, { next_attempt_at: before.ordered ? NEVER_DUE : at, cause: 'recover' })
      : null,
  probe: (before, at) =>
    isReplayed(before) ? again(before, { next_attempt_at: -at, cause: 'probe' }) : null,
};

const cancelled = (at: number, cancelled_for: string | null): Partial<State> => ({
  ...{ status: 'CANCELLED', end_at: at, next_attempt_at: 0, cancelled_for },
});

const isReplayed = ({ status, cancelled_for }: State) =>
  cancelled_for === null && (status === 'FAILED' || status === 'CANCELLED');

const again = ({ status, attempt_count }: State, due: Partial<State>): Partial<State> | null =>
  status === 'DELIVERING'
    ? null
    : { status: 'PENDING', end_at: 0, schedule_offset: attempt_count, cancelled_for: null, ...due };

const NAMES = Object.keys(EXPECTED) as Act[];
/** Made by those who reconcile groups, who mark none. */
const OF_ORDERING: Act[] = ['supersede', 'block', 'unblock'];
const STEPS = Number(process.env.LEDGER_STEPS ?? 12);
const RUNS = Number(process.env.LEDGER_RUNS ?? 25);

const step = fc.record({
  name: fc.constantFrom(...NAMES),
  which: fc.uniqueArray(fc.nat(5), { minLength: 1 }),
  at: fc.integer({ min: 2_000_000, max: 9_000_000 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

describe.each(databases)('every transition of a trigger on $name', (kind) => {
  // A write that takes a second on a busy machine would be noted twice.
  useTestClock();
  const service = useService(kind, { ROLE: 'api' });
  let store: Database;
  let ledger: Ledger;

  beforeAll(async () => {
    [store, ledger] = [service.get(Database), service.get(Ledger)];
    await service.get(WatchRepository).renew();
  });

  const ids = async (table: string, column: string) => {
    const rows = await store.query<{ id: string }[]>(`SELECT ${column} AS id FROM ${table} ORDER BY 1`);
    return rows.map(({ id }) => id);
  };

  /** A webhook that was disabled for failing, and its triggers, oldest first. */
  async function begin(states: State[]) {
    for (const table of ['_trigger', '_notification', '', '_ordering_mark', '_change'])
      await store.query(`DELETE FROM webhook${table}`);
    const webhookId = newId();
    const triggers = states.map((one): Trigger => ({ id: newId(), notificationId: newId(), state: one }));
    await store.transaction(async (manager) => {
      const webhook = { id: webhookId, userId: 'ada', enabled: false, disabledReason: 'failing' };
      await store.insertMany(manager, webhookRows([webhook]));
      await store.insertMany(manager, {
        table: 'webhook_notification',
        columns: ['id', 'user_id', 'event_kind', 'triggered_at', 'body', 'is_test', 'payload_gone_at'],
        rows: triggers.map(({ notificationId }) => [notificationId, 'ada', 'RECORD_FINISHED', 0, '{}', 0, 0]),
      });
      await store.insertMany(manager, {
        table: 'webhook_trigger',
        columns: ['id', 'notification_id', 'webhook_id', 'event_kind', 'user_id', ...COLUMNS],
        rows: triggers.map(({ id, notificationId, state: row }) => [
          ...[id, notificationId, webhookId, 'RECORD_FINISHED', 'ada'],
          ...COLUMNS.map((column) => row[column]),
        ]),
      });
    });
    return { webhookId, triggers };
  }

  async function rows(triggers: Trigger[]): Promise<State[]> {
    const found = await store.query<(State & { id: string })[]>(
      `SELECT id, ${COLUMNS.join(', ')} FROM webhook_trigger`,
    );
    const byId = new Map(found.map(({ id, ...row }) => [id, row]));
    return triggers.map(({ id }) => {
      const row = byId.get(id) as State;
      const [end_at, next_attempt_at] = [Number(row.end_at), Number(row.next_attempt_at)];
      return { ...row, end_at, next_attempt_at, ordered: Number(row.ordered) };
    });
  }

  async function act(webhookId: string, { name, at }: Step, targets: Trigger[]): Promise<void> {
    if (name === 'recover' || name === 'probe') {
      const resent = targets.map(({ id: triggerId, notificationId }) => ({
        ...{ triggerId, notificationId, eventId: newId(), eventKind: 'RECORD_FINISHED', dueAt: at },
      }));
      const of = { webhookId, userId: 'ada', isOrdered: false, cause: name };
      const always = { sql: '1 = 1', parameters: [] };
      const write: Parameters<Ledger['resending']>[3] = (all) => store.writeTogether(all);
      await ledger.resending({ ...of, resent, made: [] }, always, [], write);
    } else {
      const of = { ids: targets.map(({ id }) => id), webhookIds: [webhookId] };
      const dueAt = name === 'block' ? NEVER_DUE : at;
      await store.transaction((manager) => ledger.apply(manager, name, of, dueAt));
    }
  }

  it('stores what it promises, takes the lease away, and has groups, watchers and webhooks follow', async () => {
    const check = async (states: State[], steps: Step[]) => {
      const { webhookId, triggers } = await begin(states);
      let recoverFrom: string | null = null;
      for (const one of steps) {
        const { name, which, at } = one;
        const targets = triggers.filter((_, index) => which.includes(index));
        await store.query('DELETE FROM webhook_ordering_mark');
        await store.query('DELETE FROM webhook_change');
        await act(webhookId, one, targets);
        for (const trigger of targets) {
          const { state: before } = trigger;
          const changed = EXPECTED[name](before, at);
          if (changed) trigger.state = { ...before, ...changed, leased_by: '', lease: before.lease + 1 };
        }
        expect(await rows(triggers)).toEqual(triggers.map((trigger) => trigger.state));
        const ordered = targets.filter(({ state: { ordered } }) => ordered && !OF_ORDERING.includes(name));
        expect(await ids('webhook_ordering_mark', 'trigger_id')).toEqual(ordered.map(({ id }) => id));
        expect(await ids('webhook_change', 'subject_id')).toEqual(targets.map(({ id }) => id));
        if (name === 'cancel') {
          const missed = targets.find(
            ({ state: after }) => after.schedule_offset === 0 && isReplayed(after),
          )?.notificationId;
          if (missed && (recoverFrom === null || missed < recoverFrom)) recoverFrom = missed;
        }
        expect(await store.query('SELECT recover_from FROM webhook')).toEqual([
          { recover_from: recoverFrom },
        ]);
      }
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(state, { minLength: 6, maxLength: 6 }),
        fc.array(step, { minLength: 1, maxLength: STEPS }),
        check,
      ),
      { numRuns: RUNS },
    );
  });
});
