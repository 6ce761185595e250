import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { refuseOtherThanJson } from '../common/json/json-type.js';
import { refuseLoop } from '../rest/hops.js';
import { refuseQuery } from '../rest/no-query.js';
import { HOST_GUARDS, type HostGuard, HostGuards } from './host-guards.js';

/** Admits everybody whom the application's guards let through, whether or not we know the caller. */
@Injectable()
export class OpenGuard implements CanActivate {
  private readonly host: HostGuards;

  constructor(modules: ModuleRef, @Inject(HOST_GUARDS) hostGuards: HostGuard[]) {
    this.host = new HostGuards(modules, hostGuards);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest();
    refuseLoop(request);
    refuseOtherThanJson(request);
    await this.host.ask(context);
    refuseQuery(request);
    return true;
  }
}
