import { Inject, Injectable } from '@nestjs/common';
import type { WebhookRow } from '../engine/webhook/webhook-row.js';
import { type EffectiveSettings, settingsPair } from '../engine/webhook/webhook-settings.js';
import type { Owner } from '../platform/access/owner.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { notFound } from '../platform/problem.js';
import { Vault } from '../platform/secret/vault.js';
import type { WebhookEntity } from '../store/tables/webhook/webhook.entity.js';
import { type DecryptedWebhook, openWebhook } from './decrypted-webhook.js';
import { WebhookRepository } from './webhook.repository.js';

/** Stored webhooks with what is never answered: their entity tags depend on the header values behind the masks. */
@Injectable()
export class DecryptedWebhooks {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly vault: Vault,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws Problem 404 */
  async find(owner: Owner, id: string): Promise<DecryptedWebhook> {
    const found = await this.webhooks.find(owner, id);
    if (!found) throw notFound('webhook');
    return this.open(found);
  }

  /** @throws Problem 404 */
  async findNamed(userId: string, uid: string): Promise<DecryptedWebhook> {
    const found = await this.webhooks.findNamed(userId, uid);
    if (!found) throw notFound('webhook');
    return this.open(found);
  }

  /** What holds for a webhook with these settings. */
  settingsOf(row: Pick<WebhookEntity, 'id' | 'settings'>): EffectiveSettings {
    return settingsPair(row, this.settings.delivery).effectiveSettings;
  }

  open(found: WebhookRow): DecryptedWebhook {
    return openWebhook(this.vault, found, this.settings.delivery, this.clock.now());
  }
}
