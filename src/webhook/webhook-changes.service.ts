import { Inject, Injectable } from '@nestjs/common';
import { updatedHealth } from '../engine/health/health-states.js';
import { WebhookSwitch } from '../engine/ledger/webhook-switch.repository.js';
import { mergedSettings, storedSettings } from '../engine/webhook/webhook-settings.js';
import { checkSchemeHeaders, schemeOf } from '../engine/webhook/webhook-signature.js';
import { EventRepository } from '../event/event.repository.js';
import type { Owner } from '../platform/access/owner.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { mergedAccess } from './authentication/access.js';
import { checkCredentials, checkReadable } from './credentials.js';
import type { DecryptedWebhook } from './decrypted-webhook.js';
import { DecryptedWebhooks } from './decrypted-webhooks.service.js';
import type { UpdateWebhookInput } from './dto/webhook-body.js';
import { storedMetadata } from './new-webhook.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookSchemas } from './webhook.schemas.js';
import { WebhookLock } from './webhook-lock.service.js';

/** Updates and deletes webhooks, and cancels the triggers that are not wanted any more. */
@Injectable()
export class WebhookChanges {
  constructor(
    private readonly lock: WebhookLock,
    private readonly webhooks: WebhookRepository,
    private readonly opened: DecryptedWebhooks,
    private readonly events: EventRepository,
    private readonly webhookSwitch: WebhookSwitch,
    private readonly schemas: WebhookSchemas,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** See `WebhookService.update`. */
  async update(
    owner: Owner,
    input: UpdateWebhookInput,
    check: (before: DecryptedWebhook) => void,
  ): Promise<DecryptedWebhook> {
    await this.schemas.checkAddresses(input);
    const { id, name, url, description, uid, events, metadata, settings, signature } = input;
    const now = this.clock.now();
    await this.lock.changing(owner, id, async (manager, found) => {
      const before = this.opened.open(found);
      check(before);
      checkReadable(input, before);
      checkCredentials(input, before);
      const access = mergedAccess(input, before, input.url ?? before.row.url);
      const scheme = signature === undefined ? before.row.signatureScheme : schemeOf(signature);
      checkSchemeHeaders(scheme, access.headers);
      const kept =
        settings === undefined
          ? before.row.settings
          : storedSettings(mergedSettings(before.settings, settings));
      await this.webhooks.update(manager, id, {
        ...definedOf({ name, url, description, uid }),
        ...this.opened.sealed(id, input, access),
        ...this.opened.signedBy(scheme, before.row, now),
        ...(metadata === undefined ? {} : { metadata: storedMetadata(metadata) }),
        settings: kept,
        updatedAt: Math.max(now, before.row.updatedAt + 1),
      });
      const health = updatedHealth(input, before.row, this.opened.settingsOf({ id, settings: kept }), now);
      await this.webhookSwitch.change(manager, before.row, health, now);
      if (events) {
        const eventIds = await this.events.replace(manager, found, events, now);
        await this.webhookSwitch.cancelPending(manager, { webhookId: id, eventIds }, now);
      }
    });
    return this.opened.find(owner, id);
  }

  /** See `WebhookService.delete`. */
  async delete(owner: Owner, id: string): Promise<void> {
    await this.lock.changing(owner, id, async (manager) => {
      await this.webhooks.delete(manager, id);
      await this.webhookSwitch.cancelPending(manager, { webhookId: id }, this.clock.now());
    });
  }
}

/** TypeORM throws on a column that is set to undefined. */
function definedOf<T extends object>(changes: T): Partial<T> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<T>;
}
