import { Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiController } from '../auth/api-controller.js';
import { jsonSchemaOf } from '../platform/json/json-schema.js';
import { toAnswer, uuid } from '../rest/answer.js';
import { ExactBody } from '../rest/body-source.js';
import { CreateOrDeleteBodies, createOrDelete } from '../rest/create-or-delete.js';
import { ApiBody, ApiResponse, ApiTags } from '../rest/docs.js';
import { type IdQuery, noQuery } from '../rest/fields.js';
import { Operation, WebhookDeletedDto } from '../rest/operation.js';
import { Caller, ownerOf, type Principal } from '../rest/principal.js';
import { ById, parseBody, validQuery } from '../rest/validation.js';
import { exactEvent, WebhookEventDto, WebhookEventKindListDto } from './dto/event.dto.js';
import { createEventBody, kindOfBody, updateEventBody } from './dto/event-body.js';
import { testFilterBody, WebhookFilterTestDto } from './dto/filter.dto.js';
import { EventService, type WebhookEventChange } from './event.service.js';
import { EventKinds } from './event-kinds.js';
import { testOf } from './filter-test.js';

const FILTER_TEST = {
  filter: { 'analysis.status': 'INVALID', score: { $gte: 0.8 } },
  record: { id: 'rec_1', score: 0.9, analysis: [{ id: 'ana_1', status: 'VALID' }] },
};
const ID = '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b43';
const CREATE_OR_DELETE = {
  create: { webhook_id: uuid.example, kind: 'STATUS_CHANGED' },
  delete: { id: ID },
};
const UPDATES = {
  disable: { summary: 'Switch off', value: { id: ID, enabled: false } },
  filter: { summary: 'Only invalid ones', value: { id: ID, filter: { 'analysis.status': 'INVALID' } } },
};

@ApiTags('Event')
@ApiController('v1/webhook/event')
export class EventController {
  private readonly createBody: ReturnType<typeof createEventBody>;

  constructor(
    private readonly events: EventService,
    private readonly kinds: EventKinds,
    private readonly http: HttpAdapterHost,
  ) {
    this.createBody = createEventBody(kinds.field());
  }

  @Post()
  @CreateOrDeleteBodies(createEventBody(new EventKinds().field()), CREATE_OR_DELETE, WebhookEventDto)
  @ApiResponse({ status: 201, description: 'The event', type: WebhookEventDto })
  @Operation({
    id: 'createOrDeleteEvent',
    summary: 'Subscribe a webhook to a kind of event, or end a subscription',
    description: 'Creates with the fields of an event (201); deletes with exactly `{ "id": "…" }` (200).',
    scope: 'webhooks:write',
    answer: null,
    problems: [404, 409, 413],
  })
  async createOrDelete(
    @Caller() caller: Principal,
    @ExactBody() body: unknown,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<WebhookEventDto | WebhookDeletedDto> {
    const wanted = createOrDelete(this.createBody, body);
    if ('delete' in wanted) return this.delete(caller, { id: wanted.delete });
    const { webhook_id: webhookId, enabled, filter } = wanted.create;
    const kind = kindOfBody(wanted.create);
    const event = await this.events.create(ownerOf(caller), { webhookId, kind, enabled, filter });
    this.http.httpAdapter.status(response, 201);
    return toAnswer(WebhookEventDto, exactEvent(event));
  }

  @Delete()
  @Operation({
    id: 'deleteEvent',
    summary: 'End a subscription',
    description: 'What waits because of it becomes CANCELLED.',
    scope: 'webhooks:write',
    answer: WebhookDeletedDto,
    problems: [404, 409, 413],
  })
  async delete(@Caller() caller: Principal, @ById() { id }: IdQuery): Promise<WebhookDeletedDto> {
    return this.events.delete(ownerOf(caller), id);
  }

  @Patch()
  @ApiBody({ schema: jsonSchemaOf(updateEventBody), examples: UPDATES })
  @Operation({
    id: 'updateEvent',
    summary: 'Switch an event on or off, or change its filter',
    scope: 'webhooks:write',
    answer: WebhookEventDto,
    problems: [404, 409, 413],
  })
  async update(@Caller() caller: Principal, @ExactBody() body: unknown): Promise<WebhookEventDto> {
    // The service validates the body.
    const changed = await this.events.update(ownerOf(caller), body as WebhookEventChange);
    return toAnswer(WebhookEventDto, exactEvent(changed));
  }

  @Post('filter/test')
  @ApiBody({
    schema: jsonSchemaOf(testFilterBody),
    examples: { test: { summary: 'Test', value: FILTER_TEST } },
  })
  @Operation({
    id: 'testFilter',
    summary: 'Try a filter on a record',
    description: 'Stores nothing, and needs no webhook.',
    scope: 'webhooks:read',
    status: 200,
    answer: WebhookFilterTestDto,
    problems: [413],
  })
  testFilter(@ExactBody('filter') body: unknown): WebhookFilterTestDto {
    const { filter, record } = parseBody(testFilterBody, body);
    return toAnswer(WebhookFilterTestDto, testOf(filter, record));
  }

  @Get('kind/list')
  @Operation({
    id: 'listEventKinds',
    summary: 'List the kinds of event, with schema and example of their payloads',
    scope: 'webhooks:read',
    answer: WebhookEventKindListDto,
  })
  kindList(@Query(validQuery(noQuery)) _query: object): WebhookEventKindListDto {
    const data = this.kinds.list().map(({ kind, definition }) => ({ kind, eventKind: kind, ...definition }));
    return toAnswer(WebhookEventKindListDto, { data, nextCursor: null });
  }
}
