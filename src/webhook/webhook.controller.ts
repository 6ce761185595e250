import { Delete, Get, Headers, Patch, Post, Put, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiController } from '../auth/api-controller.js';
import { IdempotencyKeys } from '../idempotency/idempotency-keys.js';
import { forbidden } from '../platform/problem.js';
import { ExactBody, type SourceRequest, sourceOf } from '../rest/body-source.js';
import { camelKeys } from '../rest/camel.js';
import { ApiTags } from '../rest/docs.js';
import { type IdQuery, idQuery } from '../rest/fields.js';
import { LinkInterceptor } from '../rest/link.interceptor.js';
import { IdempotentDocs, Operation, WebhookDeletedDto } from '../rest/operation.js';
import { Caller, isAdmin, ownerOf, type Principal } from '../rest/principal.js';
import { validQuery } from '../rest/validation.js';
import { DecryptedWebhooks } from './decrypted-webhooks.service.js';
import { CreatedWebhookDto, WebhookDto, WebhookListDto } from './dto/webhook.dto.js';
import {
  type FindWebhookQuery,
  findWebhookQuery,
  type WebhookListQuery,
  webhookListQuery,
} from './dto/webhook-body.js';
import { CreateOrDeleteDocs, FindDocs, PutDocs, UpdateDocs } from './dto/webhook-docs.js';
import { WebhookSchemas } from './webhook.schemas.js';
import { WebhookAnswers } from './webhook-answers.js';
import { WebhookChanges } from './webhook-changes.service.js';
import { WebhookCreation } from './webhook-creation.service.js';
import { WebhookProvisioning } from './webhook-provisioning.service.js';

@ApiTags('Webhook')
@ApiController('v1/webhook')
export class WebhookController {
  constructor(
    private readonly opened: DecryptedWebhooks,
    private readonly creation: WebhookCreation,
    private readonly changes: WebhookChanges,
    private readonly provisioning: WebhookProvisioning,
    private readonly schemas: WebhookSchemas,
    private readonly keys: IdempotencyKeys,
    private readonly answers: WebhookAnswers,
  ) {}

  @Post()
  @CreateOrDeleteDocs()
  @IdempotentDocs()
  @Operation({
    id: 'createOrDeleteWebhook',
    summary: 'Create a webhook, or delete one',
    description:
      'Creates with the fields of a webhook (201); deletes with exactly `{ "id": "…" }` (200). Without `events`, which the answer ' +
      'shows as `[]`, a webhook gets nothing until one is added.',
    scope: 'webhooks:write',
    answer: null,
    problems: [404, 409, 413, 422],
  })
  async createOrDelete(
    @Caller() caller: Principal,
    @ExactBody() body: unknown,
    @Req() request: SourceRequest,
    @Res({ passthrough: true }) response: unknown,
    @Headers('idempotency-key') key: string | undefined,
  ): Promise<CreatedWebhookDto | WebhookDeletedDto> {
    const wanted = this.schemas.createOrDelete(body);
    if ('delete' in wanted) return this.delete(caller, { id: wanted.delete });
    const { user_id, ...input } = wanted.create;
    const userId = userOf(caller, user_id);
    const keyed = { key, userId: caller.userId, operation: 'create webhook', body: sourceOf(request) };
    const created = await this.keys.run(keyed, (call) => this.creation.create(userId, input, call));
    return this.answers.created(response, created);
  }

  @Put()
  @PutDocs()
  @Operation({
    id: 'putWebhook',
    summary: 'Create a webhook, or make it so',
    description:
      'Finds the webhook of this user by its `uid`. If there is none, creates it (201, with its secret); otherwise changes ' +
      'what differs (200). What is left out gets its default; only the secret stays, unless another is given, which is then ' +
      'rotated in. Can be repeated at will: a call that says what is so already changes nothing. With `If-Match` it creates nothing ' +
      '(412).',
    scope: 'webhooks:write',
    answer: null,
    problems: [409, 412, 413, 422],
  })
  async put(
    @Caller() caller: Principal,
    @ExactBody() body: unknown,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<CreatedWebhookDto | WebhookDto> {
    const { user_id, ...input } = this.schemas.putBody(body);
    const put = await this.provisioning.put(userOf(caller, user_id), input, this.answers.onlyIf(ifMatch));
    if ('created' in put) return this.answers.created(response, put.created);
    return this.answers.of(response, put.updated);
  }

  @Delete()
  @Operation({
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'What waits for it becomes CANCELLED; its finished triggers stay listed.',
    scope: 'webhooks:write',
    answer: WebhookDeletedDto,
    problems: [404, 409, 413],
  })
  async delete(
    @Caller() caller: Principal,
    @Query(validQuery(idQuery)) query: IdQuery,
  ): Promise<WebhookDeletedDto> {
    await this.changes.delete(ownerOf(caller), query.id);
    return { id: query.id, deleted: true };
  }

  @Patch()
  @UpdateDocs()
  @Operation({
    id: 'updateWebhook',
    summary: 'Change a webhook',
    description:
      '`events` and `headers`, where given, are the whole new list or set. A masked header value is kept. With the ' +
      '`ETag` of an earlier answer in `If-Match`, nothing is changed unless the webhook is as it was then (412). A `url` of ' +
      'another origin (scheme, host or port) needs masked header values, `authentication` and `tls` anew, or removed: ' +
      'otherwise it is a 400 with the code `credentials_required` that names them.',
    scope: 'webhooks:write',
    answer: null,
    problems: [404, 409, 412, 413],
  })
  async update(
    @Caller() caller: Principal,
    @ExactBody() body: unknown,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<WebhookDto> {
    const change = this.schemas.updateBody(body);
    const updated = await this.changes.update(ownerOf(caller), change, this.answers.onlyIf(ifMatch));
    return this.answers.of(response, updated);
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
    @Query(validQuery(webhookListQuery)) query: WebhookListQuery,
  ): Promise<WebhookListDto> {
    const { limit, cursor, ...filter } = camelKeys(query);
    return this.answers.page(await this.opened.list(ownerOf(caller), filter, { limit, cursor }));
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
    @Query(validQuery(findWebhookQuery)) query: FindWebhookQuery,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<WebhookDto | undefined> {
    const { id, uid, user_id } = query;
    const found =
      id === undefined
        ? await this.opened.findNamed(userOf(caller, user_id), uid as string)
        : await this.opened.find(ownerOf(caller), id);
    return this.answers.ofRead(response, found, ifNoneMatch);
  }
}

/** @throws Problem 403 */
function userOf(caller: Principal, userId: string | undefined): string {
  if (userId !== undefined && !isAdmin(caller))
    throw forbidden('Only an admin key may name a user_id; leave it out for your own webhooks.');
  return userId ?? caller.userId;
}
