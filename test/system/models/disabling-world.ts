import fc from 'fast-check';
import { LeaseRecoveryRepository } from '../../../src/engine/leases/lease-recovery.repository.js';
import { CancellationRepository } from '../../../src/engine/ledger/cancel/cancellation.repository.js';
import { QueueSignals } from '../../../src/engine/ledger/queue-signals.js';
import { WebhookSwitch } from '../../../src/engine/ledger/webhook-switch.repository.js';
import type { LeasedTrigger } from '../../../src/engine/queue/leased-trigger.js';
import { QueueRepository } from '../../../src/engine/queue/queue.repository.js';
import { ActiveReplay } from '../../../src/engine/replay/active-replay.js';
import { AutoRecover } from '../../../src/engine/replay/auto-recover.js';
import { RetryRepository } from '../../../src/engine/replay/retry.repository.js';
import { isWanted, type Receiver, Receivers } from '../../../src/engine/send/receivers.js';
import type { Attempt } from '../../../src/engine/send/sender.js';
import { HealthNotes } from '../../../src/engine/settle/health/health-notes.js';
import { HealthWatcher } from '../../../src/engine/settle/health/health-watcher.js';
import { WebhookFailures } from '../../../src/engine/settle/health/webhook-failures.repository.js';
import { judge } from '../../../src/engine/settle/judgement.js';
import { RequeueRepository } from '../../../src/engine/settle/requeue.repository.js';
import { Settlement } from '../../../src/engine/settle/settlement.js';
import type { TestClock } from '../../../src/module/testing/test-clock.js';
import { ErasureRepository } from '../../../src/notification/erasure.repository.js';
import { firstIdOf } from '../../../src/platform/ids/first-id.js';
import { newId, newIdAt } from '../../../src/platform/ids/ids.js';
import { Database } from '../../../src/store/database.js';
import { TriggerEntity } from '../../../src/store/tables/trigger/trigger.entity.js';
import { WebhookEntity } from '../../../src/store/tables/webhook/webhook.entity.js';
import { weighted } from '../../models/weighted.js';
import { replayOf } from '../../support/replay.js';
import type { Json } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { enlist, insert, strike } from './rows.js';

/** How long a webhook is known for. */
const FRESH_MS = 1000;
/** From one look at a probe to the next. */
const LOOK_MS = 10_000;
const MAX_ROUNDS = 200;

/** What happens, and how often beside the rest. */
export const step = fc.record({
  does: weighted({
    ...{ notify: 8, commit: 9, claim: 9, begin: 18, end: 18, requeue: 5, breakDown: 5, cancelLeft: 5 },
    ...{ probe: 6, recover: 4, die: 1, takeOver: 2, retry: 1, erase: 1 },
    ...{ switchEvent: 0.5, enable: 6, disable: 0.2, move: 0.3 },
  }),
  /** The process that does it. */
  by: fc.nat(1),
  /** Which trigger, of those that there are. */
  which: fc.nat(20),
  answer: fc.constantFrom(200, 200, 200, ...Array<number>(14).fill(500), 410),
  /** Whether the process dies after the result was stored, and before the webhook's health is noted. */
  dies: fc.constantFrom(false, false, false, false, false, true),
  ms: fc.constantFrom<number>(0, 1, 100, 700),
});
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What a process has in memory. */
class Process {
  readonly id = newId();
  readonly waiting: LeasedTrigger[] = [];
  readonly underWay: { trigger: LeasedTrigger; receiver: Receiver; beginAt: number }[] = [];
  /** What nobody seemed to want when its turn came. */
  readonly unwanted: LeasedTrigger[] = [];
  /** The webhook as it was read last, and when. */
  known: { receiver: Receiver | null; at: number } | null = null;
  readonly health: HealthWatcher;

  constructor({ get }: TestService, clock: TestClock) {
    const signals = {
      emit: (name: string) => {
        if (name === 'webhookChanged') this.known = null;
      },
    };
    const own = { notes: new HealthNotes(clock), successes: new Map(), signals };
    this.health = Object.assign(Object.create(get(HealthWatcher)), own);
  }
}

/** One webhook, its triggers, two processes that send them, and one that carries its recoveries on. */
export class DisablingWorld {
  private readonly database: Database;
  private readonly queue: QueueRepository;
  private readonly cancellations: CancellationRepository;
  private readonly replay: ReturnType<typeof replayOf>;
  private readonly processes: Process[] = [];
  /** Notifications of transactions that are open, and whether they saw the webhook enabled. */
  private readonly uncommitted: { id: string; sawEnabled: boolean }[] = [];
  private triggers: TriggerEntity[] = [];
  private row: WebhookEntity;
  private isEventOn = true;
  private moves = 0;
  /** Notifications without a body. They do not come back. */
  private readonly erased = new Set<string>();
  /** The notifications of what failed for good since the webhook fails, by trigger. */
  private readonly failed = new Map<string, string>();
  /** The notifications of what has to come back, by trigger. */
  private readonly owed = new Map<string, string>();
  /** How many had to come back. */
  promises = 0;

  constructor(
    private readonly service: TestService,
    private readonly clock: TestClock,
    private readonly webhook: Json,
  ) {
    this.database = service.get(Database);
    this.queue = service.get(QueueRepository);
    // Few triggers in a transaction, and nobody goes on by himself.
    this.cancellations = Object.assign(service.get(CancellationRepository), { atOnce: 2 });
    Object.assign(service.get(WebhookSwitch), { signals: new QueueSignals() });
    this.replay = replayOf(this.database, clock);
  }

  async start(): Promise<void> {
    await enlist(this.service, this.replay.instance.id);
    for (const by of [0, 1]) await this.bear(by);
    await this.check();
  }

  /** @throws Error naming what is lost. */
  async take(step: Step): Promise<void> {
    this.clock.advance(step.ms);
    await this[step.does](step);
    await this.check();
  }

  /** Everybody is well again, and nobody does anything by hand. @returns what has not come back. */
  async comesToRest(): Promise<string[]> {
    const well = { by: 0, which: 0, answer: 200, dies: false, ms: 2000 };
    for (const by of [0, 1]) await this.take({ ...well, by, does: 'die' });
    while (this.uncommitted.length > 0) await this.take({ ...well, does: 'commit' });
    if (!this.isEventOn) await this.take({ ...well, does: 'switchEvent' });
    const rest = ['takeOver', 'cancelLeft', 'probe', 'recover', 'claim', 'begin', 'end', 'requeue'] as const;
    for (let round = 0; round < MAX_ROUNDS && this.owed.size > 0; round++)
      for (const does of rest) for (let times = 0; times < 3; times++) await this.take({ ...well, does });
    return [...this.owed.keys()];
  }

  async stop(): Promise<void> {
    await this.service.call('DELETE', `/v1/webhook?id=${this.webhook.id}`);
    for (const table of ['attempt', 'trigger', 'recovery', 'cancellation', 'notification'])
      await this.service.query(`DELETE FROM webhook_${table}`);
    await this.service.query('DELETE FROM webhook_instance WHERE started_at = 0');
  }

  /** A notification is accepted, which is stored by {@link commit}. */
  private async notify(): Promise<void> {
    this.clock.advance(1);
    const id = newIdAt(this.clock.now());
    this.uncommitted.push({ id, sawEnabled: this.row.enabled && this.isEventOn });
  }

  private async commit({ which }: Step): Promise<void> {
    const [one] = this.uncommitted.splice(which % (this.uncommitted.length || 1), 1);
    if (!one) return;
    const { id: notification_id, sawEnabled } = one;
    const of = { user_id: this.webhook.user_id, event_kind: 'RECORD_FINISHED' };
    const notification = { id: notification_id, ...of, triggered_at: 0, body: '{}' };
    await insert(this.service, 'webhook_notification', { ...notification, is_test: 0, payload_gone_at: 0 });
    if (!sawEnabled) return;
    await insert(this.service, 'webhook_trigger', {
      ...{
        id: newIdAt(this.clock.now()),
        notification_id,
        webhook_id: this.webhook.id,
        event_id: this.eventId,
        ...of,
      },
      ...{ status: 'PENDING', next_attempt_at: this.clock.now() },
    });
  }

  private async claim({ by, which }: Step): Promise<void> {
    const due = this.triggers.filter(({ status }) => status === 'PENDING').map(({ id }) => id);
    const some = due.slice(which % (due.length || 1)).slice(0, 3);
    this.of(by).waiting.push(...(await this.queue.claim(this.of(by).id, some)));
  }

  /** A process begins an attempt of what waits in it, or finds that nobody wants it any more. */
  private async begin({ by, which }: Step): Promise<void> {
    const process = this.having('waiting', by);
    const [trigger] = process.waiting.splice(which % (process.waiting.length || 1), 1);
    if (!trigger) return;
    const receiver = await this.receiverOf(process, trigger);
    if (receiver) process.underWay.push({ trigger, receiver, beginAt: this.clock.now() });
    else process.unwanted.push(trigger);
  }

  /** As it is known, or else as it is; null if it does not want the trigger any more. */
  private async receiverOf(process: Process, trigger: LeasedTrigger): Promise<Receiver | null> {
    const receivers = this.service.get(Receivers);
    const { receiver, at } = process.known ?? { receiver: null, at: 0 };
    if (this.clock.now() - at < FRESH_MS && isWanted(trigger, receiver)) return receiver;
    const probed = trigger.isProbe && (await receivers.probed(this.webhook.id, trigger.id));
    if (probed) return probed as Receiver;
    const read = (await receivers.reload(this.webhook.id)) as Receiver | null;
    process.known = { receiver: read, at: this.clock.now() };
    return isWanted(trigger, read) ? read : null;
  }

  /** An attempt ends, as in `Attempts`. */
  private async end({ by, which, answer, dies }: Step): Promise<void> {
    const process = this.having('underWay', by);
    const [one] = process.underWay.splice(which % (process.underWay.length || 1), 1);
    if (!one) return;
    const { trigger, receiver, beginAt } = one;
    this.clock.advance(1);
    const response = { status: answer, headers: {}, body: '', truncated: false };
    const exchange = { response, error: null, phases: {} };
    const attempt = {
      number: trigger.attemptCount + 1,
      beginAt,
      endAt: this.clock.now(),
      exchange,
    } as Attempt;
    await process.health.heard(receiver, attempt, 0);
    await this.service.get(Settlement).settle(trigger, attempt, receiver);
    if (dies) await this.die({ by: this.processes.indexOf(process) });
    else await process.health.note(receiver, attempt, judge(exchange), trigger);
  }

  /** What nobody seems to want is requeued. */
  private async requeue({ by }: Step): Promise<void> {
    const some = this.having('unwanted', by).unwanted.splice(0);
    const now = this.clock.now();
    await this.service.get(RequeueRepository).requeueUnwanted(some, { dueAt: now, endAt: now });
  }

  /** An attempt that is none of these disables the webhook, or says that the receiver is gone. */
  private async breakDown({ answer }: Step): Promise<void> {
    const receiver = await this.service.get(Receivers).reload(this.webhook.id);
    if (receiver === null || (receiver.failing === null && answer !== 410)) return;
    const reason = answer === 410 ? 'gone' : 'failing';
    const facts = { notice: null, failedId: null, now: this.clock.now() };
    await this.service.get(WebhookFailures).disable(receiver, reason, facts);
  }

  /** A part of what waits is cancelled after that. */
  private async cancelLeft(): Promise<void> {
    for (const one of await this.cancellations.left())
      if ((await this.cancellations.cancelLeft(one.webhookId, null, this.clock.now())) === null)
        await this.cancellations.done(one);
  }

  /** A look at what is to be probed, and at what became of a probe. */
  private async probe(): Promise<void> {
    this.clock.advance(LOOK_MS);
    await (this.service.get(AutoRecover) as unknown as { run(): Promise<number> }).run();
  }

  /** A step of the recovery that runs. */
  private async recover(): Promise<void> {
    const { repository, share, step } = this.replay;
    for (const row of await repository.read(await share.take()))
      await step.take(new ActiveReplay({ ...row, perSecond: 3 }, this.clock.monotonic()));
  }

  private async die({ by }: Pick<Step, 'by'>): Promise<void> {
    await strike(this.service, this.of(by).id);
    await this.bear(by);
  }

  private async takeOver(): Promise<void> {
    while ((await this.service.get(LeaseRecoveryRepository).recoverSome(this.clock.now())) > 0);
  }

  private async retry({ which }: Step): Promise<void> {
    const one = this.triggers[which % this.triggers.length];
    if (one) await this.service.get(RetryRepository).makeDue(null, [one.id], this.clock.now());
  }

  private async erase({ which }: Step): Promise<void> {
    const one = this.triggers[which % this.triggers.length];
    if (!one) return;
    this.erased.add(one.notificationId);
    await this.service.get(ErasureRepository).erase([one.notificationId], this.clock.now());
  }

  private async switchEvent(): Promise<void> {
    this.isEventOn = !this.isEventOn;
    await this.patch('/event', { id: this.eventId, enabled: this.isEventOn });
  }

  private async enable({ which }: Step): Promise<void> {
    if (this.row.disabledReason !== 'failing' || which < 3) await this.switchTo(true);
  }

  private async disable(): Promise<void> {
    await this.switchTo(false);
  }

  private async switchTo(enabled: boolean): Promise<void> {
    await this.patch('', { id: this.webhook.id, enabled });
    this.failed.clear();
    // The owner recovers what he wants.
    this.owed.clear();
  }

  /** Its owner gives it another URL. */
  private async move(): Promise<void> {
    await this.patch('', { id: this.webhook.id, url: `${this.webhook.url}/${++this.moves}` });
    this.failed.clear();
  }

  private async patch(path: string, change: object): Promise<void> {
    const { status, text } = await this.service.call('PATCH', `/v1/webhook${path}`, change);
    if (status !== 200) throw new Error(text);
  }

  private async check(): Promise<void> {
    const was = this.row;
    const before = new Map(this.triggers.map((trigger) => [trigger.id, trigger]));
    const { id: webhookId } = this.webhook;
    this.row = await this.database.run((all) => all.findOneByOrFail(WebhookEntity, { id: webhookId }));
    this.triggers = await this.database.run((all) =>
      all.find(TriggerEntity, { where: { webhookId }, order: { id: 'ASC' } }),
    );
    const { row, owed, failed } = this;
    const isDisabled = row.disabledReason === 'failing';
    for (const { id, status, notificationId, cause, scheduleOffset } of this.triggers) {
      const isErased = this.erased.has(notificationId);
      const isNew = before.get(id)?.status !== status && !isErased;
      // A probe is of what was missed before: either that has to come back already, or it is left to the owner.
      const isProbe = status === 'FAILED' && before.get(id)?.cause === 'probe';
      const counts = isNew && scheduleOffset === 0 && !isProbe;
      if (isNew && status === 'CANCELLED' && row.enabled && this.isEventOn)
        throw new Error(`${id} was cancelled, though it is wanted`);
      if (counts && isDisabled && (status === 'FAILED' || status === 'CANCELLED'))
        this.promise(id, notificationId);
      if (counts && row.failingSince !== null && status === 'FAILED') failed.set(id, notificationId);
      const isBack = status === 'SUCCEEDED' || (status === 'PENDING' && cause === 'recover');
      if (isBack || isErased) for (const known of [owed, failed]) known.delete(id);
    }
    if (row.disabledReason === 'gone') owed.clear();
    if (row.failingSince === null || row.disabledReason === 'gone') failed.clear();
    if (isDisabled) for (const [id, notification] of failed) this.promise(id, notification);
    if (isDisabled) failed.clear();
    for (const [id, notification] of [...(isDisabled ? owed : []), ...failed])
      if (!(row.recoverFrom !== null && row.recoverFrom <= notification))
        throw new Error(`${id} would not come back`);
    if (!isDisabled || !was) return;
    const known = [...owed.values(), ...this.erased];
    if (was.disabledReason === 'failing' && row.recoverFrom !== was.recoverFrom)
      if (!known.includes(String(row.recoverFrom)))
        throw new Error('What does not come back would be recovered');
    const sql = 'SELECT since FROM webhook_recovery WHERE running_of = ?';
    const [recovery] = was.enabled ? await this.service.query(sql, [webhookId]) : [];
    if (recovery && String(row.recoverFrom) > firstIdOf(Number(recovery.since)))
      throw new Error('What a recovery was about to bring back would not come');
  }

  private promise(id: string, notification: string): void {
    if (!this.owed.has(id)) this.promises++;
    this.owed.set(id, notification);
  }

  private async bear(by: number): Promise<void> {
    this.processes[by] = new Process(this.service, this.clock);
    await enlist(this.service, this.of(by).id);
  }

  /** This process, or the other one if this one has nothing. */
  private having(what: 'waiting' | 'underWay' | 'unwanted', by: number): Process {
    return this.of(this.of(by)[what].length > 0 ? by : 1 - by);
  }

  private of(by: number): Process {
    return this.processes[by] as Process;
  }

  private get eventId(): string {
    return this.webhook.events[0].id;
  }
}
