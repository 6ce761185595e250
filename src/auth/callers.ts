import { Inject, Injectable } from '@nestjs/common';
import { type TimedRequest, untilDeadline } from '../rest/deadline.js';
import { PRINCIPAL, type Principal } from '../rest/principal.js';
import { AUTHENTICATOR, type Authenticator, type IncomingRequest, unauthenticated } from './authenticator.js';

type Request = IncomingRequest & TimedRequest & { [PRINCIPAL]?: Principal };

/** Identifies the caller of a request once, on first use. The service does so before it reads the body. */
@Injectable()
export class Callers {
  constructor(@Inject(AUTHENTICATOR) private readonly authenticator: Authenticator) {}

  /**
   * @returns the caller, without a promise if already identified. Rejects with Problem 401, 429 after too many 401s, or
   * 503.
   */
  of(request: Request): Principal | Promise<Principal> {
    return request[PRINCIPAL] ?? this.identify(request);
  }

  private async identify(request: Request): Promise<Principal> {
    const principal = await untilDeadline(
      request,
      this.authenticator.authenticate(request),
      this.authenticator.late,
    );
    if (!principal) throw unauthenticated(this.authenticator.hint);
    request[PRINCIPAL] = principal;
    return principal;
  }
}
