import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Admission } from './admission.js';
import { ApiKeyController } from './api-key.controller.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeyService } from './api-key.service.js';
import { AUTHENTICATOR, type Authenticator } from './authenticator.js';
import { CallerAuthenticator } from './caller-authenticator.js';
import { Callers } from './callers.js';
import { HOST_GUARDS, type HostGuard, HostGuards } from './host-guards.js';
import { KeyAuthenticator } from './key-authenticator.js';
import { RateLimitRepository } from './limits/rate-limit.repository.js';
import { RateLimiter } from './limits/rate-limiter.js';
import { UnauthenticatedCalls } from './limits/unauthenticated-calls.js';
import { MeController } from './me.controller.js';
import { SessionController } from './session/session.controller.js';
import { SessionRepository } from './session/session.repository.js';
import { Sessions } from './session/sessions.js';

/** Authentication and authorisation. Global within the application, because every controller's guard needs it. */
@Global()
@Module({
  providers: [Admission, Callers, HostGuards, RateLimitRepository, RateLimiter],
  exports: [Admission, Callers, HostGuards],
})
export class AuthModule {
  /** Callers identify themselves with the service's API keys, or sessions opened with them. */
  static withApiKeys(guards: HostGuard[]): DynamicModule {
    return {
      module: AuthModule,
      providers: [
        ApiKeyRepository,
        UnauthenticatedCalls,
        ApiKeyService,
        KeyAuthenticator,
        SessionRepository,
        Sessions,
        { provide: AUTHENTICATOR, useClass: CallerAuthenticator },
        { provide: HOST_GUARDS, useValue: guards },
      ],
      exports: [AUTHENTICATOR, ApiKeyService, Sessions],
    };
  }

  /** The host application identifies callers. */
  static with(authenticator: Authenticator, guards: HostGuard[]): DynamicModule {
    return {
      module: AuthModule,
      providers: [
        { provide: AUTHENTICATOR, useValue: authenticator },
        { provide: HOST_GUARDS, useValue: guards },
      ],
      exports: [AUTHENTICATOR],
    };
  }
}

@Module({ controllers: [MeController] })
export class AuthHttpModule {}

/** Managing API keys, and logging in with one. */
@Module({ controllers: [ApiKeyController, SessionController] })
export class ApiKeyHttpModule {}
