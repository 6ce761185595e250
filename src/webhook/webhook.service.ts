import { Injectable, Logger } from '@nestjs/common';
import type { Owner } from '../platform/access/owner.js';
import type { Page } from '../rest/cursor.js';
import type { Deleted } from '../rest/deleted.js';
import type { PageQuery } from '../rest/input.js';
import { parseBody } from '../rest/validation.js';
import { DecryptedWebhooks } from './decrypted-webhooks.service.js';
import { ownerInput, webhookListInput } from './dto/webhook-body.js';
import type { NewWebhook, WebhookChange } from './new-webhook.js';
import type { WebhookSecret } from './secret/webhook-secret.js';
import {
  type CreatedWebhook,
  createdWebhookOf,
  type StoredWebhook,
  storedWebhookOf,
  type Webhook,
} from './webhook.js';
import { WebhookSchemas } from './webhook.schemas.js';
import { WebhookChanges } from './webhook-changes.service.js';
import { WebhookCreation } from './webhook-creation.service.js';
import { WebhookProvisioning } from './webhook-provisioning.service.js';
import { WebhookViews } from './webhook-views.js';

/** Which webhooks to list. Each field narrows the list. */
export interface WebhookQuery extends PageQuery {
  /** Their owner. */
  userId?: string | undefined;
  /** Whether they are switched on. */
  enabled?: boolean | undefined;
  /** The whole name. */
  name?: string | undefined;
  /** A kind that they are subscribed to, whether that event is enabled or not. */
  eventKind?: string | undefined;
}

/** Where to send: the webhooks of each user. */
@Injectable()
export class WebhookService {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly opened: DecryptedWebhooks,
    private readonly creation: WebhookCreation,
    private readonly changes: WebhookChanges,
    private readonly provisioning: WebhookProvisioning,
    private readonly schemas: WebhookSchemas,
    private readonly views: WebhookViews,
  ) {}

  /**
   * Creates a webhook, and answers it with its signing secret. Without `events` it gets nothing, which the log says; `events: []`
   * says that it is meant so.
   *
   * @param userId the webhook's owner; 1..128 characters.
   * @throws Problem 400 naming every bad field, also for an address that may not be reached; 409 `user_moved`;
   *   422 `webhook_limit_reached`
   */
  async create(userId: string, input: NewWebhook): Promise<CreatedWebhook> {
    parseBody(ownerInput, { userId });
    const created = createdWebhookOf(await this.creation.create(userId, this.schemas.create(input), null));
    if (input.events === undefined) this.warnOfSilence(created);
    return created;
  }

  /**
   * Makes the webhook with this `uid` what `input` says, and creates it if there is none. What `input` leaves out gets its
   * default, but the signing secret stays; a given one replaces it, and the former one signs for another day.
   *
   * @param userId the webhook's owner; 1..128 characters.
   * @returns with its signing secret if it was created.
   * @throws Problem as `create` and `update` do
   */
  async put(userId: string, input: NewWebhook & { uid: string }): Promise<CreatedWebhook | Webhook> {
    parseBody(ownerInput, { userId });
    const put = await this.provisioning.put(userId, this.schemas.put(input), () => {});
    if ('updated' in put) return this.views.one(put.updated);
    const created = createdWebhookOf(put.created);
    if (input.events === undefined) this.warnOfSilence(created);
    return created;
  }

  /** The webhook that this user calls so. @throws Problem 404 */
  async findByUid(userId: string, uid: string): Promise<Webhook> {
    return this.views.one(await this.opened.findNamed(userId, uid));
  }

  /** A webhook with its events. @throws Problem 404 */
  async find(owner: Owner, id: string): Promise<Webhook> {
    return this.views.one(await this.opened.find(owner, id));
  }

  /** Newest first. @throws Problem 400 naming every bad field; 400 `invalid_cursor` */
  async list(owner: Owner, query: WebhookQuery = {}): Promise<Page<Webhook>> {
    const { limit, cursor, ...filter } = parseBody(webhookListInput, query);
    const page = await this.opened.list(owner, filter, { limit, cursor });
    return { ...page, data: await this.views.of(page.data) };
  }

  /**
   * Changes only the given fields. `events`, `headers`, `authentication` and `tls` each replace the whole; a mask in them
   * keeps the stored value. Switching off a webhook or an event cancels its waiting triggers.
   *
   * @param check throws if the webhook, which is locked until it is changed, is not the version that the caller means.
   * @throws Problem 404, 400, 409 `user_moved`; 400 `credentials_required` if the URL gets another origin and a masked value would go
   * there
   */
  async update(
    owner: Owner,
    change: WebhookChange,
    check: (before: StoredWebhook) => void = () => {},
  ): Promise<Webhook> {
    const input = this.schemas.update(change);
    return this.views.one(
      await this.changes.update(owner, input, (before) => check(storedWebhookOf(before))),
    );
  }

  /** Deletes it with its events, and cancels its waiting triggers. @throws Problem 404, 409 `user_moved` */
  async delete(owner: Owner, id: string): Promise<Deleted> {
    await this.changes.delete(owner, id);
    return { id, deleted: true };
  }

  /** The signing secret. @throws Problem 404, 409 `secret_unreadable` */
  async secret(owner: Owner, id: string): Promise<WebhookSecret> {
    return { secret: await this.opened.secret(owner, id) };
  }

  private warnOfSilence({ id }: CreatedWebhook): void {
    this.logger.warn(
      `Webhook ${id} was made without events, so it gets nothing: name them as events, such as ['RECORD_FINISHED'], or add them with ` +
        'EventService.create. With events: [] it is meant so.',
    );
  }
}
