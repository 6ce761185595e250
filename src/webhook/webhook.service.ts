import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { notFound } from '../common/problem.js';
import { Vault } from '../common/vault.js';
import type { IdempotentCall } from '../idempotency/idempotency-keys.js';
import { Cursors, type Page } from '../rest/cursor.js';
import type { Owner } from '../rest/principal.js';
import type { NewWebhook, WebhookChange } from './new-webhook.js';
import { type CreatedWebhook, openWebhook, type Webhook } from './webhook.js';
import { type WebhookFilter, WebhookRepository, type WebhookRow } from './webhook.repository.js';
import { WebhookChanges } from './webhook-changes.service.js';
import { WebhookCreation } from './webhook-creation.service.js';

/** Where to send: the webhooks of each user. */
@Injectable()
export class WebhookService {
  private readonly cursors: Cursors;

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly creation: WebhookCreation,
    private readonly changes: WebhookChanges,
    private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.cursors = new Cursors(vault, 'webhook');
  }

  /**
   * @param userId the webhook's owner; 1..128 characters.
   * @returns the webhook and its signing secret.
   * @throws Problem 400 naming every bad field, also for an address that may not be reached; 422 `webhook_limit_reached`, `idempotency_key_reused`
   */
  create(userId: string, input: NewWebhook, call: IdempotentCall | null = null): Promise<CreatedWebhook> {
    return this.creation.create(userId, input, call);
  }

  /** @throws Problem 404 */
  async find(owner: Owner, id: string): Promise<Webhook> {
    return this.opened(await this.stored(owner, id));
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
   * Changes only the given fields. `events` and `headers` each replace the whole list; in `headers`, a mask keeps the
   * stored value. Switching off a webhook or an event cancels its waiting triggers.
   *
   * @param check throws if the webhook, which is locked until it is changed, is not the version that the caller means.
   * @throws Problem 404, 400; 400 `credentials_required` if the URL gets another origin and a masked value would go
   * there
   */
  async update(
    owner: Owner,
    change: WebhookChange,
    check: (before: Webhook) => void = () => {},
  ): Promise<Webhook> {
    await this.changes.update(owner, change, check);
    return this.find(owner, change.id);
  }

  /** Deletes it with its events, and cancels its waiting triggers. @throws Problem 404 */
  delete(owner: Owner, id: string): Promise<void> {
    return this.changes.delete(owner, id);
  }

  /** The signing secret. @throws Problem 404 */
  async secret(owner: Owner, id: string): Promise<string> {
    const { row } = await this.stored(owner, id);
    return this.vault.open(row.sealedSecret, id);
  }

  private async stored(owner: Owner, id: string): Promise<WebhookRow> {
    const found = await this.webhooks.find(owner, id);
    if (!found) throw notFound('webhook');
    return found;
  }

  private opened(found: WebhookRow): Webhook {
    return openWebhook(this.vault, found, this.clock.now());
  }
}
