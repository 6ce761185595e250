import { Body, Delete, Get, Headers, Patch, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiTags } from '@nestjs/swagger';
import { ApiController } from '../auth/api-controller.js';
import { forbidden } from '../common/problem.js';
import { IdempotencyKeys, REPLAYED_HEADER } from '../idempotency/idempotency-keys.js';
import { camelKeys } from '../rest/camel.js';
import { type IdQuery, idQuery } from '../rest/fields.js';
import { LinkInterceptor } from '../rest/link.interceptor.js';
import { type ListBody, listBody } from '../rest/list.js';
import { IdempotentDocs, Operation, WebhookDeletedDto } from '../rest/operation.js';
import { Caller, isAdmin, ownerOf, type Principal } from '../rest/principal.js';
import { validQuery } from '../rest/validation.js';
import {
  type CreatedWebhookDto,
  toCreatedWebhookDto,
  toWebhookDto,
  type WebhookDto,
  WebhookListDto,
} from './dto/webhook.dto.js';
import { type WebhookListQuery, webhookListQuery } from './dto/webhook-body.js';
import { CreateOrDeleteDocs, FindDocs, UpdateDocs } from './dto/webhook-docs.js';
import type { WebhookChange } from './new-webhook.js';
import type { OpenedWebhook } from './opened-webhook.js';
import { OpenedWebhooks } from './opened-webhooks.service.js';
import { createdWebhookOf, webhookOf } from './webhook.js';
import { WebhookSchemas } from './webhook.schemas.js';
import { WebhookService } from './webhook.service.js';
import { WebhookChanges } from './webhook-changes.service.js';
import { WebhookCreation } from './webhook-creation.service.js';
import { WebhookTags } from './webhook-tags.js';

@ApiTags('Webhook')
@ApiController('v1/webhook')
export class WebhookController {
  constructor(
    private readonly webhooks: WebhookService,
    private readonly opened: OpenedWebhooks,
    private readonly creation: WebhookCreation,
    private readonly changes: WebhookChanges,
    private readonly schemas: WebhookSchemas,
    private readonly tags: WebhookTags,
    private readonly keys: IdempotencyKeys,
    private readonly http: HttpAdapterHost,
  ) {}

  @Post()
  @CreateOrDeleteDocs()
  @IdempotentDocs()
  @Operation({
    id: 'createOrDeleteWebhook',
    summary: 'Create a webhook, or delete one',
    description: 'Creates with the fields of a webhook (201); deletes with exactly `{ "id": "…" }` (200).',
    scope: 'webhooks:write',
    answer: null,
    problems: [404, 409, 422],
  })
  async createOrDelete(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Req() request: { rawBody?: Buffer },
    @Res({ passthrough: true }) response: unknown,
    @Headers('idempotency-key') key: string | undefined,
  ): Promise<CreatedWebhookDto | WebhookDeletedDto> {
    const wanted = this.schemas.createOrDelete(body);
    if ('delete' in wanted) return this.delete(caller, { id: wanted.delete });
    const { user_id, ...input } = wanted.create;
    if (user_id !== undefined && !isAdmin(caller)) {
      throw forbidden('Only an admin key may name a user_id; leave it out to create a webhook of your own.');
    }
    const keyed = {
      key,
      userId: caller.userId,
      operation: 'create webhook',
      body: request.rawBody ?? JSON.stringify(body),
    };
    const created = await this.keys.run(keyed, (call) =>
      this.creation.create(user_id ?? caller.userId, input, call),
    );
    if (created.replayed) this.http.httpAdapter.setHeader(response, REPLAYED_HEADER, 'true');
    this.http.httpAdapter.status(response, 201);
    this.http.httpAdapter.setHeader(response, 'Cache-Control', 'no-store');
    this.tag(response, created);
    return toCreatedWebhookDto(createdWebhookOf(created));
  }

  @Delete()
  @Operation({
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'What waits for it becomes CANCELLED; its finished triggers stay listed.',
    scope: 'webhooks:write',
    answer: WebhookDeletedDto,
    problems: [404, 413],
  })
  async delete(
    @Caller() caller: Principal,
    @Query({ schema: idQuery, pipes: [validQuery] }) query: IdQuery,
  ): Promise<WebhookDeletedDto> {
    return this.webhooks.delete(ownerOf(caller), query.id);
  }

  @Patch()
  @UpdateDocs()
  @Operation({
    id: 'updateWebhook',
    summary: 'Change a webhook',
    description:
      '`events` and `headers`, where given, are the whole new list or set. A masked header value is kept. With the ' +
      '`ETag` of an earlier answer in `If-Match`, nothing is changed unless the webhook is as it was then (412). A `url` of ' +
      'another origin (scheme, host or port) needs masked header values anew, or left out: otherwise it is a 400 with the ' +
      'code `credentials_required` that names them.',
    scope: 'webhooks:write',
    answer: null,
    problems: [404, 412],
  })
  async update(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<WebhookDto> {
    // The service validates the body.
    const updated = await this.changes.update(ownerOf(caller), body as WebhookChange, (before) =>
      this.tags.check(before, ifMatch),
    );
    this.tag(response, updated);
    return toWebhookDto(webhookOf(updated));
  }

  @Get('list')
  @UseInterceptors(LinkInterceptor)
  @Operation({
    id: 'listWebhooks',
    summary: 'List webhooks, newest first',
    scope: 'webhooks:read',
    answer: WebhookListDto,
  })
  async list(
    @Caller() caller: Principal,
    @Query({ schema: webhookListQuery, pipes: [validQuery] }) query: WebhookListQuery,
  ): Promise<ListBody<WebhookDto>> {
    return listBody(await this.webhooks.list(ownerOf(caller), camelKeys(query)), toWebhookDto);
  }

  @Get()
  @FindDocs()
  @Operation({
    id: 'findWebhook',
    summary: 'Find a webhook',
    scope: 'webhooks:read',
    answer: null,
    problems: [404],
  })
  async find(
    @Caller() caller: Principal,
    @Query({ schema: idQuery, pipes: [validQuery] }) query: IdQuery,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<WebhookDto | undefined> {
    const found = await this.opened.find(ownerOf(caller), query.id);
    this.tag(response, found);
    if (!this.tags.isKnown(found, ifNoneMatch)) return toWebhookDto(webhookOf(found));
    this.http.httpAdapter.status(response, 304);
    return undefined;
  }

  private tag(response: unknown, webhook: OpenedWebhook): void {
    this.http.httpAdapter.setHeader(response, 'ETag', this.tags.of(webhook));
  }
}
