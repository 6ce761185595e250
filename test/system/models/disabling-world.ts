import { v7 } from 'uuid';
import { LeaseRecoveryRepository } from '../../../src/engine/leases/lease-recovery.repository.js';
import { QueueRepository } from '../../../src/engine/queue/queue.repository.js';
import { AutoRecoverRepository } from '../../../src/engine/replay/auto-recover.repository.js';
import { RetryRepository } from '../../../src/engine/replay/retry.repository.js';
import { NOT_PROBED } from '../../../src/engine/webhook/probing.js';
import { ErasureRepository } from '../../../src/notification/erasure.repository.js';
import type { Clock } from '../../../src/platform/clock.js';
import { firstIdOf } from '../../../src/platform/ids/first-id.js';
import { newId } from '../../../src/platform/ids/ids.js';
import { Database } from '../../../src/store/database.js';
import { TriggerEntity } from '../../../src/store/tables/trigger/trigger.entity.js';
import { WebhookEntity } from '../../../src/store/tables/webhook/webhook.entity.js';
import type { Json } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { cancellationsOf, Process, receiverOf } from './disabling-process.js';
import type { Step } from './disabling-steps.js';
import { change, enlist, insert, strike } from './rows.js';

/** How long a webhook is known for. */
const FRESH_MS = 1000;
const MAX_ROUNDS = 200;
const HAS_NOT_FAILED = { failingSince: null, failingQuarters: 0, recoverFrom: null };

/** One webhook, its triggers, and two processes that send them. */
export class DisablingWorld {
  private readonly database: Database;
  private readonly queue: QueueRepository;
  private readonly autoRecovers: AutoRecoverRepository;
  private readonly cancellations;
  private processes: Process[] = [];
  private time = Date.now();
  private readonly clock: Clock = {
    now: () => this.time,
    monotonic: () => this.time,
    after: () => () => {},
  };
  /** Notifications of transactions that are open, and whether they saw the webhook enabled. */
  private uncommitted: { id: string; sawEnabled: boolean }[] = [];
  private readonly reached = new Map<string, string>();
  private triggers = new Map<string, TriggerEntity>();
  private row!: WebhookEntity;
  private isEventOn = true;
  private rounds = 0;
  /** The notifications of what failed for good since the webhook fails, by trigger. */
  private readonly failed = new Map<string, string>();
  /** The notifications of what has to come back, by trigger. */
  readonly owed = new Map<string, string>();
  /** How many had to come back. */
  promises = 0;

  constructor(
    private readonly service: TestService,
    private readonly webhook: Json,
  ) {
    this.database = service.get(Database);
    this.queue = service.get(QueueRepository);
    this.autoRecovers = service.get(AutoRecoverRepository);
    this.cancellations = cancellationsOf(service);
  }

  async start(): Promise<void> {
    this.row = await this.readRow();
    for (const which of [0, 1]) await this.bear(which);
  }

  /** @throws Error naming what is lost. */
  async take(step: Step): Promise<void> {
    this.time += step.ms;
    await this[step.does](step);
    await this.check();
  }

  /** Everybody is well again, and nobody does anything by hand. @returns what has not come back. */
  async comesToRest(): Promise<string[]> {
    const well: Step = { does: 'end', by: 0, which: 0, answer: 200, dies: false, late: false, ms: 0 };
    for (const which of [0, 1]) await this.die({ ...well, by: which });
    while (this.uncommitted.length > 0) await this.take({ ...well, does: 'commit' });
    if (!this.isEventOn) await this.switchEvent();
    await this.take({ ...well, does: 'takeOver' });
    let before: string;
    do {
      before = await this.state();
      if (++this.rounds > MAX_ROUNDS) throw new Error('It does not come to rest');
      for (const does of ['judge', 'cancelLeft', 'recover', 'claim', 'begin', 'end', 'requeue'] as const)
        for (let times = 0; times < 3; times++) await this.take({ ...well, does });
      if (this.row.disabledReason === 'failing') await this.autoRecover();
      await this.check();
    } while (before !== (await this.state()));
    return [...this.owed.keys()];
  }

  async stop(): Promise<void> {
    for (const table of ['attempt', 'trigger', 'recovery', 'cancellation', 'notification'])
      await this.service.query(`DELETE FROM webhook_${table}`);
    await this.service.query('DELETE FROM webhook_instance WHERE started_at = 0');
  }

  private async notify({ late }: Step): Promise<void> {
    const one = { id: v7({ msecs: ++this.time }), sawEnabled: this.row.enabled && this.isEventOn };
    this.uncommitted.push(one);
    if (!late) await this.store(this.uncommitted.pop() as typeof one);
  }

  private async commit(): Promise<void> {
    const one = this.uncommitted.shift();
    if (one) await this.store(one);
  }

  private async store({ id, sawEnabled }: { id: string; sawEnabled: boolean }): Promise<void> {
    const of = { user_id: this.webhook.user_id, event_kind: 'RECORD_FINISHED' };
    const notification = { id, ...of, triggered_at: 0, body: '{}', is_test: 0, payload_gone_at: 0 };
    await insert(this.service, 'webhook_notification', notification);
    if (!sawEnabled) return;
    await insert(this.service, 'webhook_trigger', {
      ...{ id: newId(), notification_id: id, webhook_id: this.webhook.id, event_id: this.eventId, ...of },
      ...{ status: 'PENDING', next_attempt_at: this.time },
    });
  }

  private async claim({ by, which }: Step): Promise<void> {
    const due = this.rows((row) => row.status === 'PENDING').map(({ id }) => id);
    const some = due.slice(which % (due.length || 1)).slice(0, 3);
    this.of(by).waiting.push(...(await this.queue.claim(this.of(by).instanceId, some)));
  }

  private async begin({ by, which }: Step): Promise<void> {
    const process = this.having('waiting', by);
    const [trigger] = process.waiting.splice(which % (process.waiting.length || 1), 1);
    if (!trigger) return;
    const { known } = process;
    const isFresh = known !== null && this.time - known.at < FRESH_MS && known.receiver !== null;
    if (!isFresh) process.known = { receiver: this.receiver(), at: this.time };
    const isProbed = trigger.isProbe && this.row.probeId === trigger.id && !this.row.enabled;
    const receiver = isProbed ? receiverOf(this.row) : process.known?.receiver;
    if (!receiver || (!isProbed && !this.isEventOn)) process.unwanted.push(trigger);
    else process.underWay.push({ trigger, receiver, beginAt: this.time });
  }

  private async end({ by, which, answer, dies }: Step): Promise<void> {
    const process = this.having('underWay', by);
    const [one] = process.underWay.splice(which % (process.underWay.length || 1), 1);
    if (!one) return;
    await process.end(one, answer, ++this.time, dies);
    if (dies) await this.die({ by: this.processes.indexOf(process) });
  }

  private async requeue({ by }: Step): Promise<void> {
    const some = this.having('unwanted', by).unwanted.splice(0);
    await this.queue.releaseUnwanted(some, { dueAt: this.time, endAt: this.time });
  }

  private async breakDown({ by, answer }: Step): Promise<void> {
    const receiver = this.receiver();
    if (receiver === null || (receiver.failing === null && answer !== 410)) return;
    const reason = answer === 410 ? 'gone' : 'failing';
    const facts = { notice: null, failedId: null, now: this.time };
    await this.of(by).repository.disable(receiver, reason, facts);
  }

  private async cancelLeft(): Promise<void> {
    for (const one of await this.cancellations.left())
      if ((await this.cancellations.cancelLeft(one.webhookId, null, this.time)) === null)
        await this.cancellations.done(one);
  }

  private async probe(): Promise<void> {
    const { row } = this;
    if (row.disabledReason !== 'failing' || row.probeId !== null) return;
    const [oldest] = this.undelivered((notification) => notification >= String(row.recoverFrom));
    if (!oldest) return;
    const { id: triggerId, notificationId } = oldest;
    const event = { id: this.eventId, kind: 'RECORD_FINISHED', filterHash: null };
    const found = { place: '', triggerId, notificationId, event, isNew: false };
    await this.autoRecovers.probe(this.row, found, { now: this.time, probeAt: this.time });
  }

  private async judge(): Promise<void> {
    const probe = this.row.probeId === null ? undefined : this.triggers.get(this.row.probeId);
    if (this.row.disabledReason !== 'failing' || !probe) return;
    if (probe.status === 'SUCCEEDED') await this.autoRecover();
    else if (isUndelivered(probe)) await this.autoRecovers.wait(this.row, this.time, { probeId: null });
  }

  private async autoRecover(): Promise<void> {
    await this.autoRecovers.enable(this.row, this.time);
    for (const process of this.processes) process.known = null;
  }

  /** A step of the recovery that runs, which makes three due. */
  private async recover(): Promise<void> {
    const recovery = await this.running();
    if (!recovery) return;
    const end = (state: string) =>
      change(this.service, 'webhook_recovery', recovery.id, {
        ...{ state, running_of: null, end_at: this.time },
      });
    if (!this.row.enabled) return end('STOPPED');
    const after = this.reached.get(recovery.id) ?? firstIdOf(Number(recovery.since));
    const some = this.undelivered((notification) => notification > after).slice(0, 3);
    if (!this.isEventOn || some.length === 0) return this.isEventOn ? end('DONE') : undefined;
    for (const { id } of some)
      await this.service.query(
        `UPDATE webhook_trigger SET status = 'PENDING', next_attempt_at = ?, end_at = 0, lease = lease + 1,
           schedule_offset = attempt_count, cause = 'recover' WHERE id = ? AND status IN ('FAILED', 'CANCELLED')`,
        [this.time, id],
      );
    this.reached.set(recovery.id, some.at(-1)?.notificationId as string);
  }

  private async die({ by }: Pick<Step, 'by'>): Promise<void> {
    await strike(this.service, this.of(by).instanceId);
    await this.bear(by);
  }

  private async takeOver(): Promise<void> {
    while ((await this.service.get(LeaseRecoveryRepository).recoverSome(this.time)) > 0);
  }

  private async retry({ which }: Step): Promise<void> {
    const one = [...this.triggers.values()][which % this.triggers.size];
    if (one) await this.service.get(RetryRepository).makeDue(null, [one.id], this.time);
  }

  private async erase({ which }: Step): Promise<void> {
    const one = [...this.triggers.values()][which % this.triggers.size];
    if (one) await this.service.get(ErasureRepository).erase([one.notificationId], this.time);
  }

  private async switchEvent(): Promise<void> {
    this.isEventOn = !this.isEventOn;
    await change(this.service, 'webhook_event', this.eventId, { enabled: this.isEventOn ? 1 : 0 });
    if (!this.isEventOn) await this.cancelPending({ eventIds: [this.eventId] });
  }

  private async enable({ which }: Step): Promise<void> {
    if (this.row.disabledReason !== 'failing' || which === 0) await this.switchedTo(true);
  }

  private async disable(): Promise<void> {
    await this.switchedTo(false);
    await this.cancelPending({});
  }

  private async cancelPending(which: { eventIds?: string[] }): Promise<void> {
    const of = { webhookId: this.webhook.id, ...which };
    await this.database.transaction((manager) => this.cancellations.cancelPending(manager, of, this.time));
  }

  /** Its owner gives it another URL. */
  private async move(): Promise<void> {
    const unknown = { failingSince: null, failingQuarters: 0 };
    await this.changed({ ...unknown, ...(this.row.enabled ? { recoverFrom: null } : {}) });
  }

  private async switchedTo(enabled: boolean): Promise<void> {
    const known = { disabledReason: null, disabledEventPendingSince: null };
    await this.changed({ ...HAS_NOT_FAILED, ...NOT_PROBED, ...known, enabled });
    // The owner recovers what he wants.
    this.owed.clear();
  }

  private async changed(columns: Partial<WebhookEntity>): Promise<void> {
    const generation = this.row.generation + 1;
    const { id } = this.row;
    await this.database.run((all) => all.update(WebhookEntity, { id }, { ...columns, generation }));
    this.failed.clear();
  }

  private async check(): Promise<void> {
    const [was, before] = [this.row, this.triggers];
    this.row = await this.readRow();
    const where = { webhookId: this.row.id };
    const rows = await this.database.run((all) => all.find(TriggerEntity, { where, order: { id: 'ASC' } }));
    this.triggers = new Map(rows.map((row) => [row.id, row]));
    const { row, owed, failed } = this;
    const isDisabled = row.disabledReason === 'failing';
    for (const one of rows) {
      const { id, status, notificationId, cancelledFor } = one;
      const isNew = before.get(id)?.status !== status;
      const counts = isNew && one.scheduleOffset === 0 && cancelledFor === null;
      if (isNew && status === 'CANCELLED' && cancelledFor === null && row.enabled && this.isEventOn)
        throw new Error(`${id} was cancelled, though it is wanted`);
      if (counts && isDisabled && isUndelivered(one)) this.promise(id, notificationId);
      if (counts && row.failingSince !== null && status === 'FAILED') failed.set(id, notificationId);
      const isBack = status === 'SUCCEEDED' || (status === 'PENDING' && one.cause === 'recover');
      if (isBack || cancelledFor !== null) for (const known of [owed, failed]) known.delete(id);
    }
    if (row.disabledReason === 'gone') owed.clear();
    if (row.failingSince === null || row.disabledReason === 'gone') failed.clear();
    if (isDisabled) for (const [id, notification] of failed) this.promise(id, notification);
    if (isDisabled) failed.clear();
    for (const [id, notification] of [...owed, ...failed])
      if ((isDisabled || failed.has(id)) && !(row.recoverFrom !== null && row.recoverFrom <= notification))
        throw new Error(`${id} would not come back`);
    if (isDisabled && was.disabledReason === 'failing' && row.recoverFrom !== was.recoverFrom)
      if (![...owed.values()].includes(String(row.recoverFrom)) && !this.isErased(row.recoverFrom))
        // What was erased while it was sent has no body any more, and its attempt does not know that.
        throw new Error('What does not come back would be recovered');
    const recovery = isDisabled && was.enabled ? await this.running() : undefined;
    if (recovery && String(row.recoverFrom) > firstIdOf(Number(recovery.since)))
      throw new Error('What a recovery was about to bring back would not come');
  }

  private isErased(notification: string | null): boolean {
    return this.rows((one) => one.notificationId === notification).some(
      ({ cancelledFor }) => cancelledFor !== null,
    );
  }

  private promise(id: string, notification: string): void {
    if (!this.owed.has(id)) this.promises++;
    this.owed.set(id, notification);
  }

  private async state(): Promise<string> {
    const recovery = await this.running();
    const place = recovery && (this.reached.get(recovery.id) ?? 'new');
    const triggers = [...this.triggers.values()].map(({ id, status }) => `${id} ${status}`);
    const memory = this.processes.map((one) =>
      [one.waiting, one.underWay, one.unwanted].map(({ length }) => length),
    );
    return JSON.stringify([triggers, place, memory]);
  }

  private async bear(which: number): Promise<void> {
    const process = new Process(this.service, this.clock);
    this.processes[which] = process;
    await enlist(this.service, process.instanceId);
  }

  /** This process, or the other one if this one has nothing. */
  private having(what: 'waiting' | 'underWay' | 'unwanted', by: number): Process {
    return this.of(this.of(by)[what].length > 0 ? by : 1 - by);
  }

  private of(by: number): Process {
    return this.processes[by] as Process;
  }

  private receiver() {
    return this.row.enabled ? receiverOf(this.row) : null;
  }

  private rows(wanted: (row: TriggerEntity) => boolean): TriggerEntity[] {
    return [...this.triggers.values()].filter(wanted);
  }

  /** What did not arrive of these notifications, oldest first. */
  private undelivered(wanted: (notification: string) => boolean): TriggerEntity[] {
    return this.rows((one) => isUndelivered(one) && wanted(one.notificationId)).sort((a, b) =>
      a.notificationId < b.notificationId ? -1 : 1,
    );
  }

  private get eventId(): string {
    return this.webhook.events[0].id;
  }

  /** The recovery that runs. */
  private async running(): Promise<{ id: string; since: number | string } | undefined> {
    const sql = 'SELECT id, since FROM webhook_recovery WHERE running_of = ?';
    return (await this.service.query(sql, [this.webhook.id]))[0];
  }

  private readRow(): Promise<WebhookEntity> {
    return this.database.run((all) => all.findOneByOrFail(WebhookEntity, { id: this.webhook.id }));
  }
}

const isUndelivered = ({ status, cancelledFor }: TriggerEntity) =>
  (status === 'FAILED' || status === 'CANCELLED') && cancelledFor === null;
