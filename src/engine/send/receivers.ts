import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Batcher } from '../../platform/batcher.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { isAboutData } from '../../platform/database-error.js';
import { Vault } from '../../platform/secret/vault.js';
import { type FailingSpan, failingSpanOf } from '../health/failing-span.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { livePrevious } from '../webhook/previous-secrets.js';
import { type EffectiveSettings, settingsOf, settingsPair } from '../webhook/webhook-settings.js';
import { SCHEME_HEADERS } from '../webhook/webhook-signature.js';
import type { Fault } from './fault.js';
import { type NamedHead, RequestHeads } from './head/request-heads.js';
import { ReceiverRepository, type ReceiverRow } from './receiver.repository.js';
import { accessOf, type ReceiverAccess } from './receiver-access.js';
import { COMMON_HEADERS, requestHead } from './request-headers.js';
import { type Signer, signerOf } from './signature.js';

/** Changes made by another process are seen at most this late. */
const FRESH_MS = 1000;
const MAX_LOADED_AT_ONCE = 500;
const MAX_KEPT = 10_000;

interface Known {
  webhookId: string;
  userId: string;
  name: string;
  storedUrl: string;
  eventIds: Set<string>;
  generation: number;
  failing: FailingSpan | null;
  pausedUntil: number | null;
  delivered: boolean;
  settings: EffectiveSettings;
}

/** An enabled webhook, prepared for sending. */
export interface Receiver extends Known {
  fault: null;
  url: URL;
  access: ReceiverAccess;
  /** The headers of every request; an access token comes on top of them. */
  headers: Record<string, string>;
  /** The part of a request that may be shown; stored before the first attempt. */
  head: NamedHead;
  signer: Signer;
}

/** An enabled webhook that nothing can be sent to, because its stored data is unusable. */
export interface FaultyReceiver extends Known {
  fault: Fault;
  /** For the log. */
  cause: string;
}

interface Prepared {
  receiver: Receiver | FaultyReceiver | null;
  /** When the first of its secrets expires, by the wall clock; infinite if none does. */
  until: number;
}

interface Kept extends Prepared {
  /** Monotonic. */
  loadedAt: number;
}

/** The webhooks that are being sent to, decrypted and parsed once instead of for every attempt. */
@Injectable()
export class Receivers implements OnModuleDestroy {
  private readonly kept = new Map<string, Kept>();
  private readonly loader = new Batcher<string, Kept['receiver']>((ids) => this.load(ids), {
    maxItems: MAX_LOADED_AT_ONCE,
  });
  private readonly unsubscribe: () => void;
  /** Counts changes to webhooks: rows read before a change may be stale after it. */
  private changes = 0;

  constructor(
    private readonly repository: ReceiverRepository,
    private readonly vault: Vault,
    private readonly heads: RequestHeads,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    signals: QueueSignals,
  ) {
    this.unsubscribe = signals.subscribe({
      webhookChanged: (webhookId) => {
        this.changes++;
        this.kept.delete(webhookId);
      },
    });
  }

  /**
   * Rejects while the database is unavailable.
   *
   * @returns null if the webhook is disabled or gone.
   */
  get(webhookId: string): Kept['receiver'] | Promise<Kept['receiver']> {
    const kept = this.kept.get(webhookId);
    if (kept && this.isFresh(kept)) return kept.receiver;
    return this.loader.add(webhookId);
  }

  /** The same, read after the call. */
  reload(webhookId: string): Promise<Kept['receiver']> {
    return this.loader.add(webhookId);
  }

  /** A disabled webhook that this trigger is the probe of; null if it is not, or not any more. */
  async probed(webhookId: string, triggerId: string): Promise<Kept['receiver']> {
    const row = await this.repository.probed(webhookId, triggerId);
    if (row === null) return null;
    const [receiver = null] = await this.withHeads([this.prepare(row, this.clock.now()).receiver]);
    return receiver;
  }

  /** The owner of each webhook, faulty ones included; disabled and deleted ones are left out. */
  async usersOf(webhookIds: string[]): Promise<Map<string, string>> {
    const ids = [...new Set(webhookIds)];
    const receivers = await Promise.all(ids.map((id) => this.get(id)));
    return new Map(
      receivers.flatMap((receiver) => (receiver ? [[receiver.webhookId, receiver.userId]] : [])),
    );
  }

  onModuleDestroy(): void {
    this.unsubscribe();
  }

  private async load(ids: string[]): Promise<Kept['receiver'][]> {
    const loadedAt = this.clock.monotonic();
    const { changes } = this;
    const rows = await this.repository.enabled([...new Set(ids)]);
    if (this.kept.size + ids.length > MAX_KEPT) this.kept.clear();
    const now = this.clock.now();
    const prepared = ids.map((id) => {
      const row = rows.get(id);
      return row ? this.prepare(row, now) : { receiver: null, until: Number.POSITIVE_INFINITY };
    });
    const receivers = await this.withHeads(prepared.map(({ receiver }) => receiver));
    if (changes === this.changes) {
      for (const [index, { until }] of prepared.entries())
        this.kept.set(ids[index] as string, { receiver: receivers[index] ?? null, loadedAt, until });
    }
    return receivers;
  }

  private isFresh({ loadedAt, until }: Kept): boolean {
    if (this.clock.monotonic() - loadedAt >= FRESH_MS) return false;
    return until === Number.POSITIVE_INFINITY || this.clock.now() < until;
  }

  /** Stores their request heads before the first attempt that names them. */
  private async withHeads(receivers: Kept['receiver'][]): Promise<Kept['receiver'][]> {
    const refused = await this.storeHeads(
      receivers.flatMap((receiver) => (receiver?.fault === null ? receiver.head : [])),
    );
    return receivers.map((receiver) => {
      const cause = receiver?.fault === null ? refused.get(receiver.head.id) : undefined;
      return receiver && cause ? faulty(receiver, 'request_head', cause) : receiver;
    });
  }

  /** @returns the reasons, by id, why the database refused some of them; the others are stored. */
  private async storeHeads(heads: NamedHead[]): Promise<Map<string, string>> {
    try {
      await this.heads.store(heads);
      return new Map();
    } catch (error) {
      if (!isAboutData(error)) throw error;
      const [first] = heads;
      if (first && heads.length === 1) return new Map([[first.id, (error as Error).message]]);
      const each: [string, string][] = [];
      for (const head of heads) each.push(...(await this.storeHeads([head])));
      return new Map(each);
    }
  }

  private prepare({ webhook, eventIds }: ReceiverRow, now: number): Prepared {
    const known = {
      webhookId: webhook.id,
      userId: webhook.userId,
      name: webhook.name,
      storedUrl: webhook.url,
      eventIds,
      generation: webhook.generation,
      failing: failingSpanOf(webhook),
      pausedUntil: webhook.pausedUntil,
      delivered: webhook.delivered,
      settings: settingsPair(webhook, this.settings.delivery).effectiveSettings,
    };
    const before = this.kept.get(webhook.id)?.receiver;
    let reading: Fault = 'settings';
    try {
      if (settingsOf(webhook) === null || !Object.hasOwn(SCHEME_HEADERS, webhook.signatureScheme))
        throw new Error('They are not what was stored.');
      const prior = before?.fault === null ? before.access : null;
      const access = accessOf(this.vault, webhook, prior, (part) => {
        reading = part;
      });
      reading = 'url';
      const url =
        before?.fault === null && before.url.href === webhook.url ? before.url : new URL(webhook.url);
      const head = this.heads.named(
        webhook.id,
        requestHead(url, access.shownHeaders, webhook.signatureScheme),
      );
      reading = 'secret';
      const previous = livePrevious(this.vault, webhook, now);
      const secrets = [
        this.vault.open(webhook.sealedSecret, webhook.id),
        ...previous.map(({ secret }) => secret),
      ];
      const receiver = {
        ...known,
        fault: null,
        url,
        access,
        headers: { ...access.headers, ...COMMON_HEADERS },
        head,
        signer: signerOf(webhook.signatureScheme, secrets),
      };
      return { receiver, until: Math.min(...previous.map(({ expiresAt }) => expiresAt)) };
    } catch (error) {
      const receiver = faulty(known, reading, (error as Error).message);
      return { receiver, until: Number.POSITIVE_INFINITY };
    }
  }
}

/** A trigger is sent only while its webhook is enabled, and its subscription too; a test has none. */
export const isWanted = <T extends Receiver | FaultyReceiver>(
  { eventId }: LeasedTrigger,
  receiver: T | null,
): receiver is T => receiver !== null && (eventId === null || receiver.eventIds.has(eventId));

function faulty(known: Known, fault: Fault, cause: string): FaultyReceiver {
  const { webhookId, userId, name, storedUrl, eventIds, generation } = known;
  const { failing, pausedUntil, delivered, settings } = known;
  return {
    ...{ webhookId, userId, name, storedUrl, eventIds, generation },
    ...{ failing, pausedUntil, delivered, settings, fault, cause },
  };
}
