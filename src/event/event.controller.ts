import { Body, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiTags } from '@nestjs/swagger';
import { ApiController } from '../auth/api-controller.js';
import { createOrDelete } from '../rest/create-or-delete.js';
import { type IdQuery, idQuery, noQuery } from '../rest/fields.js';
import type { ListBody } from '../rest/list.js';
import { Operation, WebhookDeletedDto } from '../rest/operation.js';
import { Caller, ownerOf, type Principal } from '../rest/principal.js';
import { validBody, validQuery } from '../rest/validation.js';
import {
  toEventDto,
  toEventKindDto,
  WebhookEventDto,
  type WebhookEventKindDto,
  WebhookEventKindListDto,
} from './dto/event.dto.js';
import { createEventBody, kindOfBody, type UpdateEventBody, updateEventBody } from './dto/event-body.js';
import { CreateOrDeleteEventDocs } from './dto/event-docs.js';
import { EventService } from './event.service.js';
import { EventKinds } from './event-kinds.js';

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
  @CreateOrDeleteEventDocs()
  @Operation({
    id: 'createOrDeleteEvent',
    summary: 'Subscribe a webhook to a kind of event, or end a subscription',
    description: 'Creates with the fields of an event (201); deletes with exactly `{ "id": "…" }` (200).',
    scope: 'webhooks:write',
    answer: null,
    problems: [404, 409],
  })
  async createOrDelete(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<WebhookEventDto | WebhookDeletedDto> {
    const wanted = createOrDelete(this.createBody, body);
    if ('delete' in wanted) return this.delete(caller, { id: wanted.delete });
    const { webhook_id: webhookId, enabled } = wanted.create;
    const kind = kindOfBody(wanted.create);
    const event = await this.events.create(ownerOf(caller), { webhookId, kind, enabled });
    this.http.httpAdapter.status(response, 201);
    return toEventDto(event);
  }

  @Delete()
  @Operation({
    id: 'deleteEvent',
    summary: 'End a subscription',
    description: 'What waits because of it becomes CANCELLED.',
    scope: 'webhooks:write',
    answer: WebhookDeletedDto,
    problems: [404, 413],
  })
  async delete(
    @Caller() caller: Principal,
    @Query({ schema: idQuery, pipes: [validQuery] }) query: IdQuery,
  ): Promise<WebhookDeletedDto> {
    return this.events.delete(ownerOf(caller), query.id);
  }

  @Patch()
  @Operation({
    id: 'updateEvent',
    summary: 'Switch an event on or off',
    scope: 'webhooks:write',
    answer: WebhookEventDto,
    problems: [404],
  })
  async update(
    @Caller() caller: Principal,
    @Body({ schema: updateEventBody, pipes: [validBody] }) body: UpdateEventBody,
  ): Promise<WebhookEventDto> {
    return toEventDto(await this.events.update(ownerOf(caller), body));
  }

  @Get('kind/list')
  @Operation({
    id: 'listEventKinds',
    summary: 'List the kinds of event, with schema and example of their payloads',
    scope: 'webhooks:read',
    answer: WebhookEventKindListDto,
  })
  kindList(@Query({ schema: noQuery, pipes: [validQuery] }) _query: object): ListBody<WebhookEventKindDto> {
    const data = this.kinds.list().map(({ kind, definition }) => toEventKindDto(kind, definition));
    return { data, next_cursor: null };
  }
}
