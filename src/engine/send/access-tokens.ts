import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { unlessAborted } from '../../network/abortable-socket.js';
import type { AttemptError } from '../../network/attempt-error.js';
import { failureOf } from '../../network/attempt-failure.js';
import { TRANSPORT, type Transport } from '../../network/transport/transport.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import type { OAuth2Authentication } from '../webhook/authentication.js';
import { type ClientStyle, readTokenAnswer, type TokenAnswer, tokenRequest } from './token-request.js';

const MAX_KEPT = 10_000;
/** Characters of all tokens together. */
const MAX_KEPT_CHARACTERS = 16 * 1024 * 1024;

/** A token is renewed this long before it ends, or a fifth of its life if that is less: a request takes time, too. */
const MARGIN_MS = 30_000;
const MARGIN_SHARE = 0.2;

/** Whose token it is. */
export interface TokenClient {
  webhookId: string;
  settings: OAuth2Authentication;
  /** How long the token endpoint may take. */
  timeoutMs: number;
}

export type TokenOutcome = { token: string } | { error: AttemptError };

interface Entry {
  settings: OAuth2Authentication;
  /** What the token endpoint took last. */
  style: ClientStyle;
  asking: Promise<TokenOutcome> | null;
  held: { token: string; until: number } | null;
}

const OTHER: Record<ClientStyle, ClientStyle> = { header: 'body', body: 'header' };

const noToken = (reason: string): TokenOutcome => ({ error: failureOf('auth', reason) });

async function inTime(work: Promise<TokenOutcome>, signal: AbortSignal): Promise<TokenOutcome> {
  try {
    return await unlessAborted(work, signal);
  } catch (error) {
    if (signal.aborted) return noToken('The token endpoint did not answer in time.');
    throw error;
  }
}

/**
 * The access tokens of this process, one for each webhook, for exactly the settings it has.
 *
 * ```
 *           wanted            a token came
 *   none ──────────► asking ───────────────► held
 *    ▲ ▲               │                      │
 *    │ └───────────────┘ no token came:       │ its end is near, the receiver refused it,
 *    │                   all who wait fail    │ or the settings changed
 *    └────────────────────────────────────────┘
 * ```
 */
@Injectable()
export class AccessTokens {
  private readonly entries = new LRUCache<string, Entry>({ max: MAX_KEPT, maxSize: MAX_KEPT_CHARACTERS });

  constructor(
    @Inject(TRANSPORT) private readonly transport: Transport,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Asks the token endpoint if no token is held, once for all who want one at that time.
   *
   * @param signal aborts at the attempt's deadline; others may go on waiting.
   * @param refused a token that the receiver did not accept: another one is wanted.
   */
  async get(client: TokenClient, signal: AbortSignal, refused?: string): Promise<TokenOutcome> {
    const entry = this.entryOf(client);
    const { held } = entry;
    if (held && held.token !== refused && this.clock.monotonic() < held.until) return { token: held.token };
    entry.held = null;
    if (entry.asking === null) {
      // By itself: who waits for it may come and go.
      const limit = AbortSignal.timeout(client.timeoutMs);
      entry.asking = inTime(this.ask(client, entry, limit), limit).finally(() => {
        entry.asking = null;
      });
    }
    return inTime(entry.asking, signal);
  }

  private entryOf({ webhookId, settings }: TokenClient): Entry {
    const known = this.entries.get(webhookId);
    if (known && (known.settings === settings || isDeepStrictEqual(known.settings, settings))) return known;
    const entry: Entry = { settings, style: 'header', asking: null, held: null };
    this.entries.set(webhookId, entry, { size: 1 });
    return entry;
  }

  private async ask({ webhookId }: TokenClient, entry: Entry, limit: AbortSignal): Promise<TokenOutcome> {
    const begin = this.clock.monotonic();
    const answer = await this.answer(entry, limit);
    if ('fault' in answer) return noToken(answer.fault);
    const { token, lifetimeMs } = answer;
    const until = begin + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs * MARGIN_SHARE);
    if (until > this.clock.monotonic()) {
      entry.held = { token, until };
      // Only now its size is known. Another entry is there if the settings changed meanwhile.
      if (this.entries.peek(webhookId) === entry)
        this.entries.set(webhookId, entry, { size: 1 + token.length });
    }
    return { token };
  }

  /** Tries the client's credentials in the other place if they are refused. */
  private async answer(entry: Entry, signal: AbortSignal): Promise<TokenAnswer> {
    const exchangeIn = (style: ClientStyle) =>
      this.transport.send(tokenRequest(entry.settings, style), signal).then(readTokenAnswer);
    const answer = await exchangeIn(entry.style);
    if (!('fault' in answer && answer.refusesClient)) return answer;
    const other = await exchangeIn(OTHER[entry.style]);
    if ('fault' in other) return answer;
    entry.style = OTHER[entry.style];
    return other;
  }
}
