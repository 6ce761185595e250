import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { REPLAYED_HEADER } from '../idempotency/idempotency-keys.js';
import { toAnswer } from '../rest/answer.js';
import type { Page } from '../rest/cursor.js';
import type { DecryptedWebhook, OpenedNewWebhook } from './decrypted-webhook.js';
import { CreatedWebhookDto, shownWebhook, WebhookDto, WebhookListDto } from './dto/webhook.dto.js';
import { createdWebhookOf } from './webhook.js';
import { WebhookTags } from './webhook-tags.js';
import { WebhookViews } from './webhook-views.js';

/** The answers about webhooks: about one with its entity tag, and the preconditions that name one (RFC 9110, 13.1). */
@Injectable()
export class WebhookAnswers {
  constructor(
    private readonly views: WebhookViews,
    private readonly tags: WebhookTags,
    private readonly http: HttpAdapterHost,
  ) {}

  created(response: unknown, created: OpenedNewWebhook): CreatedWebhookDto {
    this.http.httpAdapter.status(response, 201);
    if (created.replayed) this.http.httpAdapter.setHeader(response, REPLAYED_HEADER, 'true');
    this.tag(response, created);
    return toAnswer(CreatedWebhookDto, shownWebhook(createdWebhookOf(created)));
  }

  async of(response: unknown, webhook: DecryptedWebhook): Promise<WebhookDto> {
    this.tag(response, webhook);
    return toAnswer(WebhookDto, shownWebhook(await this.views.one(webhook)));
  }

  async page({ data, nextCursor }: Page<DecryptedWebhook>): Promise<WebhookListDto> {
    const webhooks = await this.views.of(data);
    return toAnswer(WebhookListDto, { data: webhooks.map(shownWebhook), nextCursor });
  }

  /** A 304 without a body if the caller has this version already. */
  async ofRead(
    response: unknown,
    webhook: DecryptedWebhook,
    ifNoneMatch: string | undefined,
  ): Promise<WebhookDto | undefined> {
    if (!this.tags.isKnown(webhook, ifNoneMatch)) return this.of(response, webhook);
    this.tag(response, webhook);
    this.http.httpAdapter.status(response, 304);
    return undefined;
  }

  /** @returns what throws Problem 412 if a webhook, or that there is none, is not what `If-Match` names. */
  onlyIf(ifMatch: string | undefined): (before: DecryptedWebhook | null) => void {
    return (before) => this.tags.check(before, ifMatch);
  }

  private tag(response: unknown, webhook: DecryptedWebhook): void {
    this.http.httpAdapter.setHeader(response, 'ETag', this.tags.of(webhook));
  }
}
