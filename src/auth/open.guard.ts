import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { refuseLoop } from '../engine/send/hops.js';
import { refuseOtherThanJson } from '../platform/json/json-type.js';
import { keepUncached } from '../rest/answer-headers.js';
import { refuseQuery } from '../rest/no-query.js';
import { HostGuards } from './host-guards.js';

/** Admits everybody whom the application's guards let through, whether or not we know the caller. */
@Injectable()
export class OpenGuard implements CanActivate {
  constructor(
    private readonly host: HostGuards,
    private readonly http: HttpAdapterHost,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest();
    keepUncached(this.http.httpAdapter, context.switchToHttp().getResponse());
    refuseLoop(request);
    refuseOtherThanJson(request);
    await this.host.ask(context);
    refuseQuery(request);
    return true;
  }
}
