import { Body, Delete, Post, Query, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type TimedRequest, untilDeadline } from '../../rest/deadline.js';
import { ApiTags } from '../../rest/docs.js';
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
  @PublicOperation({
    id: 'openSession',
    summary: 'Log in to the console with an API key',
    description:
      'Answers a cookie, for 12 hours, with which this browser may make every call that the key may. Only pages of the ' +
      'same origin may use it; others get 403 `cross_site`. Leaving and deleting the key end it. In place of the key, a ' +
      'link to the console has a `code`, which works once. Programs send the key itself.',
    status: 201,
    answer: WebhookSessionDto,
    problems: [413],
  })
  async open(
    @Req() request: BrowserRequest & TimedRequest,
    @Res({ passthrough: true }) response: object,
    @Body(validBody(openSessionBody)) body: OpenSessionBody,
  ): Promise<WebhookSessionDto> {
    const opened =
      body.code === undefined
        ? this.sessions.open(request, body.key as string)
        : this.sessions.openByLink(request, body.code);
    const session = await untilDeadline(request, opened);
    this.http.httpAdapter.setHeader(response, 'Set-Cookie', session.cookie);
    return toSessionDto(session);
  }

  @Delete()
  @PublicOperation({
    id: 'leaveSession',
    summary: 'Log out',
    description: 'Ends the session at once and removes the cookie. Does nothing where there is none.',
    answer: WebhookSessionLeftDto,
    problems: [413],
  })
  async leave(
    @Req() request: BrowserRequest & TimedRequest,
    @Res({ passthrough: true }) response: object,
    @Query(validQuery(noQuery)) _query: object,
  ): Promise<WebhookSessionLeftDto> {
    const cookie = await untilDeadline(request, this.sessions.leave(request));
    this.http.httpAdapter.setHeader(response, 'Set-Cookie', cookie);
    return { left: true };
  }
}
