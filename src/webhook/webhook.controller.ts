import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  Patch,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiTags } from '@nestjs/swagger';
import { AccessGuard } from '../auth/access.guard.js';
import { type IdQuery, idQuery } from '../common/fields.js';
import { LinkInterceptor } from '../common/link.interceptor.js';
import { type ListBody, listBody } from '../common/list.js';
import { DeletedDto, IdempotentDocs, Operation } from '../common/operation.js';
import { Caller, isAdmin, ownerOf, type Principal } from '../common/principal.js';
import { ProblemFilter } from '../common/problem.filter.js';
import { forbidden } from '../common/problem.js';
import { validQuery } from '../common/validation.js';
import { IdempotencyKeys, REPLAYED_HEADER } from '../idempotency/idempotency-keys.js';
import { CreatedWebhookDto, SecretDto, toWebhookDto, WebhookDto, WebhookListDto } from './dto/webhook.dto.js';
import { type WebhookListQuery, webhookListQuery } from './dto/webhook-body.js';
import { CreateOrDeleteDocs, UpdateDocs } from './dto/webhook-docs.js';
import { WebhookSchemas } from './webhook.schemas.js';
import { WebhookService } from './webhook.service.js';

@ApiTags('Webhook')
@Controller('v1/webhook')
@UseGuards(AccessGuard)
@UseFilters(ProblemFilter)
export class WebhookController {
  constructor(
    private readonly webhooks: WebhookService,
    private readonly schemas: WebhookSchemas,
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
    problems: [404, 409, 413, 415, 422],
  })
  async createOrDelete(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Req() request: { rawBody?: Buffer },
    @Res({ passthrough: true }) response: unknown,
    @Headers('idempotency-key') key: string | undefined,
  ): Promise<CreatedWebhookDto | DeletedDto> {
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
      this.webhooks.create(user_id ?? caller.userId, input, call),
    );
    if (created.replayed) this.http.httpAdapter.setHeader(response, REPLAYED_HEADER, 'true');
    this.http.httpAdapter.status(response, 201);
    this.http.httpAdapter.setHeader(response, 'Cache-Control', 'no-store');
    return Object.assign(new CreatedWebhookDto(), toWebhookDto(created), { secret: created.secret });
  }

  @Delete()
  @Operation({
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'What waits for it becomes CANCELLED; its finished triggers stay listed.',
    scope: 'webhooks:write',
    answer: DeletedDto,
    problems: [404],
  })
  async delete(
    @Caller() caller: Principal,
    @Query({ schema: idQuery, pipes: [validQuery] }) query: IdQuery,
  ): Promise<DeletedDto> {
    await this.webhooks.delete(ownerOf(caller), query.id);
    return { id: query.id, deleted: true };
  }

  @Patch()
  @UpdateDocs()
  @Operation({
    id: 'updateWebhook',
    summary: 'Change a webhook',
    description:
      '`events` and `headers`, where given, are the whole new list or set. A masked header value is kept.',
    scope: 'webhooks:write',
    answer: WebhookDto,
    problems: [404, 413, 415],
  })
  async update(@Caller() caller: Principal, @Body() body: unknown): Promise<WebhookDto> {
    return toWebhookDto(await this.webhooks.update(ownerOf(caller), this.schemas.update(body)));
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
    const { user_id: userId, event_kind: eventKind, ...rest } = query;
    return listBody(await this.webhooks.list(ownerOf(caller), { ...rest, userId, eventKind }), toWebhookDto);
  }

  @Get('secret')
  @Header('Cache-Control', 'no-store')
  @Operation({
    id: 'findWebhookSecret',
    summary: 'Show the signing secret of a webhook',
    scope: 'webhooks:write',
    answer: SecretDto,
    problems: [404],
  })
  async secret(
    @Caller() caller: Principal,
    @Query({ schema: idQuery, pipes: [validQuery] }) query: IdQuery,
  ): Promise<SecretDto> {
    return { secret: await this.webhooks.secret(ownerOf(caller), query.id) };
  }

  @Get()
  @Operation({
    id: 'findWebhook',
    summary: 'Find a webhook',
    scope: 'webhooks:read',
    answer: WebhookDto,
    problems: [404],
  })
  async find(
    @Caller() caller: Principal,
    @Query({ schema: idQuery, pipes: [validQuery] }) query: IdQuery,
  ): Promise<WebhookDto> {
    return toWebhookDto(await this.webhooks.find(ownerOf(caller), query.id));
  }
}
