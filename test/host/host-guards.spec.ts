import { describe, expect, it } from '@jest/globals';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  type Provider,
  Scope,
} from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import type { WebhookModuleStructure } from '../../src/index.js';
import { type Host, startHost } from '../support/host.js';
import { database, webhookModule } from './application.js';
import { ADAPTERS } from './use-host.js';

const LIST = '/v1/webhook/list';

interface Request {
  headers: Record<string, string | undefined>;
}

/** One for each request, as an application keeps the tenant in. */
@Injectable({ scope: Scope.REQUEST })
class Tenant {
  static made = 0;
  readonly name: string | undefined;

  constructor(@Inject(REQUEST) request: Request) {
    Tenant.made++;
    this.name = request.headers['x-user'];
  }
}

/** Depends on the request only through what it injects. */
@Injectable()
class TenantGuard implements CanActivate {
  constructor(private readonly tenant: Tenant) {}

  canActivate(): boolean {
    return this.tenant.name !== 'bob';
  }
}

@Injectable({ scope: Scope.REQUEST })
class OwnGuard implements CanActivate {
  private calls = 0;

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<Request>();
    return ++this.calls === 1 && headers['x-user'] !== 'eve';
  }
}

/** Depends on the request, and does not say so. */
@Injectable()
class HeaderGuard implements CanActivate {
  constructor(@Inject(REQUEST) private readonly request: Request) {}

  canActivate(): boolean {
    return this.request.headers['x-user'] !== 'bob';
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class TransientGuard implements CanActivate {
  canActivate = (): boolean => true;
}

class Nowhere {}

@Injectable()
class LostGuard implements CanActivate {
  constructor(readonly nowhere: Nowhere) {}
  canActivate = (): boolean => true;
}

class BrokenGuard implements CanActivate {
  constructor() {
    throw new Error('no certificate');
  }
  canActivate = (): boolean => true;
}

describe.each(ADAPTERS)('guards of a host with %s', (adapter) => {
  const start = (
    guards: WebhookModuleStructure['guards'],
    providers: Provider[] = [],
    more: Partial<WebhookModuleStructure> = {},
  ): Promise<Host> =>
    startHost({
      adapter,
      database: database({ retryAttempts: 0 }),
      webhooks: webhookModule({ principal: ({ user }) => ({ userId: user }), guards, ...more }),
      providers,
    });

  async function answers(host: Host): Promise<number[]> {
    const users = ['ada', 'bob', 'eve', 'ada'];
    const calls = users.map((user) => host.call('GET', LIST, undefined, { headers: { 'x-user': user } }));
    return (await Promise.all(calls)).map(({ status }) => status);
  }

  it('are made for each request if they depend on it', async () => {
    const guards = [TenantGuard, OwnGuard, TransientGuard];
    const host = await start(guards, [Tenant, ...guards]);
    Tenant.made = 0;
    expect(await answers(host)).toEqual([200, 403, 403, 200]);
    expect(Tenant.made).toBe(4);
    await host.app.close();
  });

  it('are made for each request although no module provides them', async () => {
    const host = await start([OwnGuard, HeaderGuard]);
    expect(await answers(host)).toEqual([200, 403, 403, 200]);
    await host.app.close();
  });

  it.each([
    [LostGuard, /guards: LostGuard cannot be made: .*LostGuard \(\?\).*[^.]\. Provide it in a module/],
    [BrokenGuard, /guards: BrokenGuard cannot be made: no certificate\. Provide it/],
  ])('fail the start if they cannot be made: %p', async (guard, says) => {
    await expect(start([guard])).rejects.toThrow(says);
  });

  it('need not be there in a process without routes', async () => {
    const host = await start([LostGuard], [], { routes: false });
    await host.app.close();
  });
});
