import { Injectable } from '@nestjs/common';
import type { Principal } from '../rest/principal.js';
import type { Authenticator } from './authenticator.js';
import { KeyAuthenticator } from './key-authenticator.js';
import type { BrowserRequest } from './session/browser-request.js';
import { Sessions } from './session/sessions.js';

/** Identifies callers by their API key or, if they send none, by the session of their browser. */
@Injectable()
export class CallerAuthenticator implements Authenticator {
  readonly hint = 'Send a valid API key as "Authorization: Bearer whk_…".';

  constructor(
    private readonly keys: KeyAuthenticator,
    private readonly sessions: Sessions,
  ) {}

  authenticate(request: BrowserRequest): Promise<Principal | null> {
    return request.headers.authorization === undefined && this.sessions.isIn(request)
      ? this.sessions.find(request)
      : this.keys.byHeader(request);
  }
}
