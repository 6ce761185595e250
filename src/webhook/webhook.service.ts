import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CLOCK, type Clock } from '../common/clock.js';
import { invalid, notFound, Problem } from '../common/problem.js';
import { Vault } from '../common/vault.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { URL_JUDGE, type UrlJudge } from '../egress/url-judge.js';
import type { EventEntity } from '../event/event.entity.js';
import { EventRepository } from '../event/event.repository.js';
import { IdempotencyRepository } from '../idempotency/idempotency.repository.js';
import { checkSameRequest, type IdempotentCall } from '../idempotency/idempotency-keys.js';
import { Cursors, type Page } from '../rest/cursor.js';
import type { Owner } from '../rest/principal.js';
import { jsonPointer } from '../rest/validation.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { TriggerRepository } from '../trigger/trigger.repository.js';
import { checkCredentials } from './credentials.js';
import type { EventInput } from './dto/webhook-body.js';
import { NOTHING_STORED, unmaskHeaders } from './headers.js';
import { healthAfter } from './health-after.js';
import { type NewWebhook, newEvent, newWebhook, type WebhookChange } from './new-webhook.js';
import { livePrevious } from './secret/previous-secrets.js';
import { type WebhookFilter, WebhookRepository, type WebhookRow } from './webhook.repository.js';
import { WebhookSchemas } from './webhook.schemas.js';

/** A webhook, its headers in the clear. */
export interface Webhook extends WebhookRow {
  headers: Record<string, string>;
  /** When the previous secrets that still sign cease to, the newest first. Epoch milliseconds. */
  previousSecretsExpireAt: number[];
}

/** A new webhook and its signing secret; `replayed` where an earlier call with the same idempotency key made it. */
export interface CreatedWebhook extends Webhook {
  secret: string;
  replayed: boolean;
}

/** Where to send: the webhooks of each user. */
@Injectable()
export class WebhookService {
  private readonly cursors: Cursors;

  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookRepository,
    private readonly events: EventRepository,
    private readonly triggers: TriggerRepository,
    private readonly idempotency: IdempotencyRepository,
    private readonly signals: QueueSignals,
    private readonly schemas: WebhookSchemas,
    private readonly vault: Vault,
    @Inject(URL_JUDGE) private readonly judge: UrlJudge,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.cursors = new Cursors(vault, 'webhook');
  }

  /**
   * @param userId whose it is; 1..128 characters.
   * @returns the webhook and its signing secret.
   * @throws Problem 400 naming every bad field, also for an address that may not be reached; 422 `webhook_limit_reached`, `idempotency_key_reused`
   */
  async create(
    userId: string,
    input: NewWebhook,
    call: IdempotentCall | null = null,
  ): Promise<CreatedWebhook> {
    const checked = this.schemas.create(input);
    await this.checkAddresses(checked.url);
    const headers = this.mergedHeaders(checked.headers, {});
    const made = newWebhook(userId, { ...checked, headers }, this.vault, this.clock.now());
    const { row, events } = made;
    const created = { ...made, headers, previousSecretsExpireAt: [], replayed: false };
    const earlier = await this.database.exclusive(`webhooks of ${userId}`, async (manager) => {
      const first = call && (await this.takeKey(manager, call, created));
      if (first) return first;
      if ((await this.webhooks.count(manager, userId)) >= this.settings.webhooksPerUser)
        throw this.limitReached();
      await this.webhooks.insert(manager, { row, events });
      return null;
    });
    return earlier ?? created;
  }

  /** @throws Problem 404 */
  async find(owner: Owner, id: string): Promise<Webhook> {
    return this.opened((await this.webhooks.find(owner, id)) ?? missing());
  }

  async list(
    owner: Owner,
    query: WebhookFilter & { limit: number; cursor?: string | undefined },
  ): Promise<Page<Webhook>> {
    const { limit, cursor, ...filter } = query;
    const rows = await this.webhooks.list(owner, filter, { limit, after: this.cursors.read(cursor) });
    const page = this.cursors.page(
      rows.map((row) => ({ ...row, id: row.row.id })),
      limit,
    );
    return { data: page.data.map((row) => this.opened(row)), nextCursor: page.nextCursor };
  }

  /**
   * Changes what is given. `events`, where given, is the whole new list; so are `headers`, in which a mask keeps
   * the value stored. What waits for a webhook or an event that is switched off is cancelled.
   *
   * @param check throws where the webhook, locked until it is changed, is not the one that is meant.
   * @throws Problem 404, 400; 400 `credentials_required` where the URL gets another origin and a masked value would go there
   */
  async update(
    owner: Owner,
    change: WebhookChange,
    check: (before: Webhook) => void = () => {},
  ): Promise<Webhook> {
    const input = this.schemas.update(change);
    if (input.url !== undefined) await this.checkAddresses(input.url);
    const { id, events, headers, ...plain } = input;
    const now = this.clock.now();
    await this.database.transaction(async (manager) => {
      const before = this.opened((await this.webhooks.findLocked(manager, owner, id)) ?? missing());
      check(before);
      checkCredentials(input, before);
      await this.webhooks.update(manager, id, {
        ...definedOf(plain),
        ...(headers ? { sealedHeaders: this.sealHeaders(id, headers, before.headers) } : {}),
        ...healthAfter(input, before.row),
        updatedAt: Math.max(now, before.row.updatedAt + 1),
      });
      if (events) await this.replaceEvents(manager, before, events, now);
      if (input.enabled === false) await this.triggers.cancelPending(manager, { webhookId: id }, now);
    });
    this.signals.emit('webhookChanged', id);
    return this.find(owner, id);
  }

  /** Deletes it with its events; what waits for it is cancelled. @throws Problem 404 */
  async delete(owner: Owner, id: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      if (!(await this.webhooks.findLocked(manager, owner, id))) throw missing();
      await this.webhooks.delete(manager, id);
      await this.triggers.cancelPending(manager, { webhookId: id }, this.clock.now());
    });
    this.signals.emit('webhookChanged', id);
  }

  /** The signing secret. @throws Problem 404 */
  async secret(owner: Owner, id: string): Promise<string> {
    const found = (await this.webhooks.find(owner, id)) ?? missing();
    return this.vault.open(found.row.sealedSecret, id);
  }

  /** @returns what the earlier call with this key made; null where this is the first. */
  private async takeKey(
    manager: EntityManager,
    call: IdempotentCall,
    created: CreatedWebhook,
  ): Promise<CreatedWebhook | null> {
    const { id, createdAt } = created.row;
    const row = { ...created.row, sealedHeaders: '', sealedSecret: '' };
    const sealedAnswer = this.vault.seal(JSON.stringify({ ...created, row }), call.hash);
    const taken = await this.idempotency.claim(manager, [
      { ...call, subjectId: id, sealedAnswer, createdAt },
    ]);
    const first = taken.get(call.hash);
    if (!first?.sealedAnswer || first.subjectId === id) return null;
    checkSameRequest(first, call);
    return { ...JSON.parse(this.vault.open(first.sealedAnswer, call.hash)), replayed: true };
  }

  private async checkAddresses(url: string): Promise<void> {
    const message = await this.judge.faultOfAddresses(url);
    if (message !== null) throw invalid([{ pointer: '/url', message }]);
  }

  private async replaceEvents(manager: EntityManager, before: Webhook, wanted: EventInput[], now: number) {
    const wantedByKind = new Map<string, EventInput>(wanted.map((event) => [event.kind, event]));
    const haveByKind = new Map<string, EventEntity>(before.events.map((event) => [event.kind, event]));
    const gone = before.events.filter((event) => !wantedByKind.has(event.kind));
    const changed = before.events.filter((event) => {
      const want = wantedByKind.get(event.kind);
      return want !== undefined && want.enabled !== event.enabled;
    });
    for (const event of changed) await this.events.setEnabled(manager, event.id, !event.enabled);
    await this.events.delete(manager, idsOf(gone));
    const added = wanted.filter((event) => !haveByKind.has(event.kind));
    await this.events.insert(
      manager,
      added.map((event) => newEvent(before.row, event, now)),
    );
    const silenced = [...gone, ...changed.filter((event) => event.enabled)];
    await this.triggers.cancelPending(manager, { webhookId: before.row.id, eventIds: idsOf(silenced) }, now);
  }

  private opened(found: WebhookRow): Webhook {
    const { row } = found;
    const previous = livePrevious(this.vault, row, this.clock.now());
    return {
      ...found,
      headers: JSON.parse(this.vault.open(row.sealedHeaders, row.id)),
      previousSecretsExpireAt: previous.map(({ expiresAt }) => expiresAt),
    };
  }

  private sealHeaders(id: string, headers: Record<string, string>, stored: Record<string, string>): string {
    return this.vault.seal(JSON.stringify(this.mergedHeaders(headers, stored)), id);
  }

  private mergedHeaders(
    headers: Record<string, string>,
    stored: Record<string, string>,
  ): Record<string, string> {
    const merged = unmaskHeaders(headers, stored);
    if (merged.unknown.length === 0) return merged.headers;
    throw invalid(
      merged.unknown.map((name) => ({
        pointer: jsonPointer(['headers', name]),
        message: NOTHING_STORED,
      })),
    );
  }

  private limitReached(): Problem {
    return new Problem(
      422,
      'webhook_limit_reached',
      `A user may have ${this.settings.webhooksPerUser} webhooks; delete one first.`,
    );
  }
}

function missing(): never {
  throw notFound('webhook');
}

const idsOf = (events: EventEntity[]) => events.map((event) => event.id);

/** TypeORM throws on a column that is set to undefined. */
function definedOf<T extends object>(changes: T): Partial<T> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<T>;
}
