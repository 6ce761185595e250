import { Inject, Injectable } from '@nestjs/common';
import { Problem } from '../common/problem.js';
import { untilDeadline } from '../rest/deadline.js';
import { PRINCIPAL, type Principal } from '../rest/principal.js';
import { AUTHENTICATOR, type Authenticator, type IncomingRequest } from './authenticator.js';

type Request = IncomingRequest & { [PRINCIPAL]?: Principal };

/** Who makes a call: found out once, by the first who asks, which in the service is before its body is read. */
@Injectable()
export class Callers {
  constructor(@Inject(AUTHENTICATOR) private readonly authenticator: Authenticator) {}

  /** @throws Problem 401, 429 where there were too many of those, 503 */
  async of(request: Request): Promise<Principal> {
    const principal =
      request[PRINCIPAL] ?? (await untilDeadline(request, this.authenticator.authenticate(request)));
    if (!principal) throw unauthenticated(this.authenticator.hint);
    request[PRINCIPAL] = principal;
    return principal;
  }
}

function unauthenticated(hint: string): Problem {
  return new Problem(401, 'unauthenticated', hint, {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
