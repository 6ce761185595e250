import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { refuseLoop } from '../engine/send/hops.js';
import { refuseOtherThanJson, refuseUnparsed } from '../platform/json/json-type.js';
import { keepUncached } from '../rest/answer-headers.js';
import { scopeOf } from '../rest/principal.js';
import { Admission } from './admission.js';
import { HostGuards } from './host-guards.js';

/** Admits calls that carry valid credentials and the scope of their endpoint, within the rate limit. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly admission: Admission,
    private readonly host: HostGuards,
    private readonly http: HttpAdapterHost,
  ) {}

  /** Returns a plain value when nothing has to be awaited, as for a notification from a known caller. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest();
    keepUncached(this.http.httpAdapter, context.switchToHttp().getResponse());
    refuseLoop(request);
    refuseOtherThanJson(request);
    return this.host.isEmpty ? this.admit(context) : this.host.ask(context).then(() => this.admit(context));
  }

  private admit(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest();
    const admitted = this.admission.admit(request, http.getResponse(), scopeOf(context.getHandler()));
    return admitted instanceof Promise
      ? admitted.then(() => refuseUnparsed(request))
      : refuseUnparsed(request);
  }
}
