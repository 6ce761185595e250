import { Body, Delete, Header, Post, Query, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiTags } from '@nestjs/swagger';
import { type TimedRequest, untilDeadline } from '../../rest/deadline.js';
import { noQuery } from '../../rest/fields.js';
import { PublicOperation } from '../../rest/operation.js';
import { validBody, validQuery } from '../../rest/validation.js';
import { OpenApiController } from '../api-controller.js';
import type { BrowserRequest } from './browser-request.js';
import {
  type OpenSessionBody,
  openSessionBody,
  toSessionDto,
  WebhookSessionDto,
  WebhookSessionLeftDto,
} from './session.dto.js';
import { Sessions } from './sessions.js';

@ApiTags('Caller')
@OpenApiController('v1/session')
export class SessionController {
  constructor(
    private readonly sessions: Sessions,
    private readonly http: HttpAdapterHost,
  ) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @PublicOperation({
    id: 'openSession',
    summary: 'Log in to the console with an API key',
    description:
      'Answers a cookie, for 12 hours, with which this browser may make every call that the key may. Only pages of the ' +
      'same origin may use it; others get 403 `cross_site`. Deleting the key ends it. Programs send the key itself.',
    status: 201,
    answer: WebhookSessionDto,
  })
  async open(
    @Req() request: BrowserRequest & TimedRequest,
    @Res({ passthrough: true }) response: object,
    @Body({ schema: openSessionBody, pipes: [validBody] }) { key }: OpenSessionBody,
  ): Promise<WebhookSessionDto> {
    const session = await untilDeadline(request, this.sessions.open(request, key));
    this.http.httpAdapter.setHeader(response, 'Set-Cookie', session.cookie);
    return toSessionDto(session);
  }

  @Delete()
  @PublicOperation({
    id: 'leaveSession',
    summary: 'Log out',
    description: 'Removes the cookie. Does nothing where there is none.',
    answer: WebhookSessionLeftDto,
    problems: [413],
  })
  leave(
    @Req() request: BrowserRequest,
    @Res({ passthrough: true }) response: object,
    @Query({ schema: noQuery, pipes: [validQuery] }) _query: object,
  ): WebhookSessionLeftDto {
    this.http.httpAdapter.setHeader(response, 'Set-Cookie', this.sessions.leave(request));
    return { left: true };
  }
}
