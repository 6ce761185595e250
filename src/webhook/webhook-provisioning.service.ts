import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { newSettings } from '../engine/webhook/webhook-settings.js';
import { schemeOf } from '../engine/webhook/webhook-signature.js';
import { eventChanges } from '../event/event-list.js';
import { Problem } from '../platform/problem.js';
import { mergedAccess } from './authentication/access.js';
import { checkReadable } from './credentials.js';
import type { PutWebhookInput, UpdateWebhookInput } from './dto/webhook-body.js';
import { metadataOf } from './new-webhook.js';
import type { OpenedNewWebhook, OpenedWebhook } from './opened-webhook.js';
import { OpenedWebhooks } from './opened-webhooks.service.js';
import { WebhookSecrets } from './secret/webhook-secrets.service.js';
import { isUidTaken } from './uid-taken.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookChanges } from './webhook-changes.service.js';
import { WebhookCreation } from './webhook-creation.service.js';

/** Another call created or deleted the webhook meanwhile; each further try needs one more such call. */
const MAX_TRIES = 5;

export type Provisioned = { created: OpenedNewWebhook } | { updated: OpenedWebhook };

/** Makes a user's webhook what its description says, whether it exists or not. */
@Injectable()
export class WebhookProvisioning {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly opened: OpenedWebhooks,
    private readonly creation: WebhookCreation,
    private readonly changes: WebhookChanges,
    private readonly secrets: WebhookSecrets,
  ) {}

  /**
   * See `WebhookService.put`.
   *
   * @param check throws if the webhook that there is, or that there is none, is not what the caller means.
   */
  async put(
    userId: string,
    input: PutWebhookInput,
    check: (before: OpenedWebhook | null) => void,
  ): Promise<Provisioned> {
    for (let tries = 1; ; tries++) {
      const found = await this.webhooks.findNamed(userId, input.uid);
      try {
        if (!found) {
          check(null);
          return { created: await this.creation.create(userId, input, null) };
        }
        return { updated: await this.makeSo(this.opened.open(found), input, check) };
      } catch (error) {
        const isRaced = found ? error instanceof Problem && error.status === 404 : isUidTaken(error);
        if (!isRaced || tries === MAX_TRIES) throw error;
      }
    }
  }

  private async makeSo(
    before: OpenedWebhook,
    { secret, ...input }: PutWebhookInput,
    check: (before: OpenedWebhook) => void,
  ): Promise<OpenedWebhook> {
    const { id, userId } = before.row;
    const change = changeTo(before, input);
    if (Object.keys(change).length > 0) await this.changes.update(userId, { id, ...change }, check);
    else check(before);
    if (secret !== undefined) await this.secrets.rotate(userId, { id, secret });
    return this.opened.find(userId, id);
  }
}

const ACCESS = ['headers', 'authentication', 'tls'] as const;

/** What differs. A call that says what is so already changes nothing, so it can be repeated at will. */
function changeTo(
  before: OpenedWebhook,
  wanted: Omit<PutWebhookInput, 'secret'>,
): Omit<UpdateWebhookInput, 'id'> {
  const { row, events, settings } = before;
  const change: Omit<UpdateWebhookInput, 'id'> = {};
  if (wanted.name !== row.name) change.name = wanted.name;
  if (wanted.url !== row.url) change.url = wanted.url;
  if (wanted.enabled !== row.enabled) change.enabled = wanted.enabled;
  if (wanted.description !== row.description) change.description = wanted.description;
  if (!isDeepStrictEqual(wanted.metadata ?? {}, metadataOf(row))) change.metadata = wanted.metadata;
  checkReadable(wanted, before);
  const access = mergedAccess(wanted, before, wanted.url);
  for (const name of ACCESS)
    if (before.unreadable.includes(name) || !isDeepStrictEqual(access[name], before[name]))
      Object.assign(change, { [name]: wanted[name] });
  const wantedSettings = newSettings(wanted.settings);
  if (before.unreadable.includes('settings') || !isDeepStrictEqual(wantedSettings, settings))
    change.settings = wantedSettings;
  if (schemeOf(wanted.signature) !== row.signatureScheme) change.signature = wanted.signature;
  const { added, changed, removed } = eventChanges(events, wanted.events);
  if (added.length + changed.length + removed.length > 0) change.events = wanted.events;
  return change;
}
