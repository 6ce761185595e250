import { Inject, Injectable } from '@nestjs/common';
import { sealedOrNull } from '../engine/webhook/sealed-authentication.js';
import type { WebhookRow } from '../engine/webhook/webhook-row.js';
import { type EffectiveSettings, settingsPair } from '../engine/webhook/webhook-settings.js';
import {
  checkSchemeHeaders,
  openedSecret,
  schemeOf,
  shownSecret,
  withScheme,
} from '../engine/webhook/webhook-signature.js';
import type { Owner } from '../platform/access/owner.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { writeJson } from '../platform/json/write-json.js';
import { notFound } from '../platform/problem.js';
import type { SignatureScheme } from '../platform/secret/signing-secret.js';
import { Vault } from '../platform/secret/vault.js';
import { Cursors, type Page } from '../rest/cursor.js';
import type { WebhookEntity } from '../store/tables/webhook/webhook.entity.js';
import { type Access, mergedAccess, NO_ACCESS } from './authentication/access.js';
import { type DecryptedWebhook, type OpenedNewWebhook, openWebhook } from './decrypted-webhook.js';
import type { NewWebhookInput } from './dto/webhook-body.js';
import { newWebhook } from './new-webhook.js';
import { WebhookRepository } from './webhook.repository.js';
import { type WebhookFilter, WebhookSearch } from './webhook-search.repository.js';

/**
 * Webhooks with what is encrypted in their rows: opened as they are read, and sealed to be stored. What is never answered is
 * there, too: entity tags depend on the header values behind the masks.
 */
@Injectable()
export class DecryptedWebhooks {
  private readonly cursors: Cursors;

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly search: WebhookSearch,
    private readonly vault: Vault,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.cursors = new Cursors(vault, 'webhook');
  }

  /** @throws Problem 404 */
  async find(owner: Owner, id: string): Promise<DecryptedWebhook> {
    return this.open(await this.row(owner, id));
  }

  /** @throws Problem 404 */
  async findNamed(userId: string, uid: string): Promise<DecryptedWebhook> {
    const found = await this.webhooks.findNamed(userId, uid);
    if (!found) throw notFound('webhook');
    return this.open(found);
  }

  /** Newest first. @throws Problem 400 `invalid_cursor` */
  async list(
    owner: Owner,
    filter: WebhookFilter,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<Page<DecryptedWebhook>> {
    const { ids, next } = await this.search.find(owner, filter, { limit, after: this.cursors.read(cursor) });
    const rows = await this.webhooks.page(ids);
    const last = rows.at(-1)?.row.id;
    const isCut = last !== undefined && last !== ids.at(-1);
    const end = isCut ? last : next;
    return { data: rows.map((row) => this.open(row)), nextCursor: end && this.cursors.write(end) };
  }

  /**
   * What verifies its requests. Nothing else is opened, so a damaged header does not hide it.
   *
   * @throws Problem 404, 409 `secret_unreadable`
   */
  async secret(owner: Owner, id: string): Promise<string> {
    const { row } = await this.row(owner, id);
    return shownSecret(row.signatureScheme, openedSecret(this.vault, row));
  }

  /** What holds for a webhook with these settings. */
  settingsOf(row: Pick<WebhookEntity, 'id' | 'settings'>): EffectiveSettings {
    return settingsPair(row, this.settings.delivery).effectiveSettings;
  }

  open(found: WebhookRow): DecryptedWebhook {
    return openWebhook(this.vault, found, this.settings.delivery, this.clock.now());
  }

  /** A webhook that is not stored yet. @throws Problem 400 for headers that do not go with the rest */
  make(userId: string, input: NewWebhookInput): OpenedNewWebhook {
    const access = mergedAccess(input, NO_ACCESS, input.url);
    checkSchemeHeaders(schemeOf(input.signature), access.headers);
    const made = newWebhook(userId, { ...input, ...access }, this.vault, this.clock.now());
    return {
      ...made,
      ...access,
      unreadable: [],
      previousSecretsExpireAt: [],
      pausedUntil: null,
      ...settingsPair(made.row, this.settings.delivery),
      replayed: false,
    };
  }

  /** The columns of what is given of a webhook. @param access what is to be stored. */
  sealed(id: string, given: { [Name in keyof Access]?: unknown }, access: Access): Partial<WebhookEntity> {
    const { vault } = this;
    return {
      ...(given.headers !== undefined && { sealedHeaders: vault.seal(writeJson(access.headers), id) }),
      ...(given.authentication !== undefined && {
        sealedAuthentication: sealedOrNull(vault, id, access.authentication),
      }),
      ...(given.tls !== undefined && { sealedTls: sealedOrNull(vault, id, access.tls) }),
    };
  }

  /** The columns that change when a webhook gets this signature scheme. */
  signedBy(scheme: SignatureScheme, row: WebhookEntity, now: number): Partial<WebhookEntity> {
    return withScheme(this.vault, row, scheme, now);
  }

  private async row(owner: Owner, id: string): Promise<WebhookRow> {
    const found = await this.webhooks.find(owner, id);
    if (!found) throw notFound('webhook');
    return found;
  }
}
