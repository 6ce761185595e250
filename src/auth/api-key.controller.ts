import { Body, Delete, Get, Post, Query, UseInterceptors } from '@nestjs/common';
import { toAnswer } from '../rest/answer.js';
import { camelKeys } from '../rest/camel.js';
import { ApiTags } from '../rest/docs.js';
import type { IdQuery } from '../rest/fields.js';
import { LinkInterceptor } from '../rest/link.interceptor.js';
import { Operation, WebhookDeletedDto } from '../rest/operation.js';
import { ById, validBody, validQuery } from '../rest/validation.js';
import { ApiController } from './api-controller.js';
import { ApiKeyService } from './api-key.service.js';
import {
  type ApiKeyListQuery,
  apiKeyListQuery,
  type CreateApiKeyBody,
  createApiKeyBody,
  WebhookApiKeyListDto,
  WebhookCreatedApiKeyDto,
} from './dto/api-key.dto.js';

@ApiTags('API key')
@ApiController('v1/api-key')
export class ApiKeyController {
  constructor(private readonly keys: ApiKeyService) {}

  @Post()
  @Operation({
    id: 'createApiKey',
    summary: 'Create an API key',
    description: 'The key is answered this once; only its hash is stored.',
    scope: 'admin',
    status: 201,
    answer: WebhookCreatedApiKeyDto,
    problems: [409, 413],
  })
  async create(@Body(validBody(createApiKeyBody)) body: CreateApiKeyBody): Promise<WebhookCreatedApiKeyDto> {
    return toAnswer(WebhookCreatedApiKeyDto, await this.keys.create(camelKeys(body)));
  }

  @Get('list')
  @UseInterceptors(LinkInterceptor)
  @Operation({
    id: 'listApiKeys',
    summary: 'List API keys, newest first',
    scope: 'admin',
    answer: WebhookApiKeyListDto,
  })
  async list(@Query(validQuery(apiKeyListQuery)) query: ApiKeyListQuery): Promise<WebhookApiKeyListDto> {
    return toAnswer(WebhookApiKeyListDto, await this.keys.list(camelKeys(query)));
  }

  @Delete()
  @Operation({
    id: 'deleteApiKey',
    summary: 'Revoke an API key, at once',
    scope: 'admin',
    answer: WebhookDeletedDto,
    problems: [404, 409, 413],
  })
  async delete(@ById() { id }: IdQuery): Promise<WebhookDeletedDto> {
    return this.keys.delete(id);
  }
}
