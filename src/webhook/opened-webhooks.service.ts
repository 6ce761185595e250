import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { notFound } from '../common/problem.js';
import { Vault } from '../common/secret/vault.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { Owner } from '../rest/principal.js';
import { type OpenedWebhook, openWebhook } from './opened-webhook.js';
import { type EffectiveSettings, settingsPair } from './settings/webhook-settings.js';
import type { WebhookEntity } from './webhook.entity.js';
import { WebhookRepository } from './webhook.repository.js';
import type { WebhookRow } from './webhook-row.js';

/** Stored webhooks with what is never answered: their entity tags depend on the header values behind the masks. */
@Injectable()
export class OpenedWebhooks {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly vault: Vault,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws Problem 404 */
  async find(owner: Owner, id: string): Promise<OpenedWebhook> {
    const found = await this.webhooks.find(owner, id);
    if (!found) throw notFound('webhook');
    return this.open(found);
  }

  /** @throws Problem 404 */
  async findNamed(userId: string, uid: string): Promise<OpenedWebhook> {
    const found = await this.webhooks.findNamed(userId, uid);
    if (!found) throw notFound('webhook');
    return this.open(found);
  }

  /** What holds for a webhook with these settings. */
  settingsOf(row: Pick<WebhookEntity, 'id' | 'settings'>): EffectiveSettings {
    return settingsPair(row, this.settings.delivery).effectiveSettings;
  }

  open(found: WebhookRow): OpenedWebhook {
    return openWebhook(this.vault, found, this.settings.delivery, this.clock.now());
  }
}
