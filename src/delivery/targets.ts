import type { KeyObject } from 'node:crypto';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Batcher } from '../common/batcher.js';
import { CLOCK, type Clock } from '../common/clock.js';
import { parseSecret } from '../common/signing-secret.js';
import { Vault } from '../common/vault.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { type NamedHead, RequestHeads } from '../trigger/request-heads.js';
import { maskHeaders } from '../webhook/headers.js';
import { livePrevious } from '../webhook/previous-secrets.js';
import type { WebhookEntity } from '../webhook/webhook.entity.js';
import { EchoMask } from './echo-mask.js';
import { type FailingSpan, failingSpanOf } from './failing-span.js';
import { COMMON_HEADERS, requestHead } from './request-headers.js';
import { TargetRepository, type TargetRow } from './target.repository.js';

/** Changes made by another process are seen this late at the most. */
const FRESH_MS = 1000;
const MAX_LOADED_AT_ONCE = 500;
const MAX_KEPT = 10_000;

/** An enabled webhook, prepared for sending. */
export interface Target {
  webhookId: string;
  userId: string;
  url: URL;
  /** The headers that all requests have. */
  headers: Record<string, string>;
  /** What of a request may be shown; stored. */
  head: NamedHead;
  /** The webhook's own headers as they are stored. */
  sealedHeaders: string;
  /** What may not be kept of an answer; null where that is nothing. Made anew only with the headers: it takes its time. */
  echoes: EchoMask | null;
  /** One for each live secret, the newest first. */
  keys: KeyObject[];
  eventIds: Set<string>;
  generation: number;
  failing: FailingSpan | null;
}

interface Kept {
  target: Target | null;
  loadedAt: number;
}

/** The webhooks that are being sent to: decrypted and parsed once, not once an attempt. */
@Injectable()
export class Targets implements OnModuleDestroy {
  private readonly kept = new Map<string, Kept>();
  private readonly loader = new Batcher<string, Target | null | Error>((ids) => this.load(ids), {
    maxItems: MAX_LOADED_AT_ONCE,
  });
  private readonly unsubscribe: () => void;
  /** How many changes of webhooks there were: what was read before one may be stale after it. */
  private changes = 0;

  constructor(
    private readonly repository: TargetRepository,
    private readonly vault: Vault,
    private readonly heads: RequestHeads,
    @Inject(CLOCK) private readonly clock: Clock,
    signals: QueueSignals,
  ) {
    this.unsubscribe = signals.subscribe({
      onWebhookChanged: (webhookId) => {
        this.changes++;
        this.kept.delete(webhookId);
      },
    });
  }

  /**
   * @returns null where the webhook is disabled or gone.
   * @throws where its secrets cannot be read, for want of their key.
   */
  get(webhookId: string): Target | null | Promise<Target | null> {
    const kept = this.kept.get(webhookId);
    if (kept && this.clock.now() - kept.loadedAt < FRESH_MS) return kept.target;
    return this.loader.add(webhookId).then(unlessError);
  }

  /** Whose webhooks these are; disabled ones and ones that are gone are left out. */
  async usersOf(webhookIds: string[]): Promise<Map<string, string>> {
    const ids = [...new Set(webhookIds)];
    const targets = await Promise.all(ids.map((id) => this.get(id)));
    return new Map(targets.flatMap((target) => (target ? [[target.webhookId, target.userId]] : [])));
  }

  onModuleDestroy(): void {
    this.unsubscribe();
  }

  private async load(ids: string[]): Promise<(Target | null | Error)[]> {
    const loadedAt = this.clock.now();
    const { changes } = this;
    const rows = await this.repository.enabled([...new Set(ids)]);
    if (this.kept.size + ids.length > MAX_KEPT) this.kept.clear();
    const targets = ids.map((id) => {
      const row = rows.get(id);
      return row ? this.prepared(row) : null;
    });
    await this.heads.store(targets.flatMap((target) => (target && 'head' in target ? target.head : [])));
    for (const [index, target] of targets.entries()) {
      if (changes === this.changes && !(target instanceof Error))
        this.kept.set(ids[index] as string, { target, loadedAt });
    }
    return targets;
  }

  /** An error as a value: the other webhooks of the batch are fine. */
  private prepared(row: TargetRow): Target | Error {
    try {
      return this.prepare(row, this.kept.get(row.webhook.id)?.target ?? null);
    } catch (error) {
      return error as Error;
    }
  }

  private prepare({ webhook, eventIds }: TargetRow, before: Target | null): Target {
    const headers = JSON.parse(this.vault.open(webhook.sealedHeaders, webhook.id)) as Record<string, string>;
    const isSame = before?.sealedHeaders === webhook.sealedHeaders;
    const url = before?.url.href === webhook.url ? before.url : new URL(webhook.url);
    return {
      webhookId: webhook.id,
      userId: webhook.userId,
      url,
      headers: { ...headers, ...COMMON_HEADERS },
      sealedHeaders: webhook.sealedHeaders,
      echoes: isSame ? before.echoes : EchoMask.of(headers),
      head: this.heads.named(webhook.id, requestHead(url, maskHeaders(headers))),
      keys: this.keysOf(webhook),
      eventIds,
      generation: webhook.generation,
      failing: failingSpanOf(webhook),
    };
  }

  private keysOf(webhook: WebhookEntity): KeyObject[] {
    const previous = livePrevious(this.vault, webhook, this.clock.now()).map(({ secret }) => secret);
    return [this.vault.open(webhook.sealedSecret, webhook.id), ...previous].map((secret) => {
      const key = parseSecret(secret);
      if (!key) throw new Error(`A signing secret of webhook ${webhook.id} is not one.`);
      return key;
    });
  }
}

function unlessError<T>(result: T | Error): T {
  if (result instanceof Error) throw result;
  return result;
}
