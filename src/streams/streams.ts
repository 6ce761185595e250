import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { AUTHENTICATOR, type Authenticator, type IncomingRequest } from '../auth/authenticator.js';
import { outsideOfCalls } from '../platform/call.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { isDatabaseUnavailable } from '../platform/database-error.js';
import { Problem } from '../platform/problem.js';
import { settledInTime } from '../platform/settled-in-time.js';
import { type TimedRequest, untilDeadline } from '../rest/deadline.js';
import { onAnswered } from '../rest/on-answered.js';
import type { Principal } from '../rest/principal.js';
import { answerStream, rawOf, type StreamedResponse } from './answer-stream.js';
import { ChangeFeed } from './change-feed.js';
import { EventStream } from './event-stream.js';
import type { Follower } from './follower.js';
import { OpenStream } from './open-stream.js';
import { StreamLimit } from './stream-limit.js';

/** How long a stream goes on while the database cannot say whether its caller is still admitted. */
const UNCONFIRMED_MS = 60_000;

/** A call that is answered with a stream. */
export interface StreamCall {
  request: IncomingRequest & TimedRequest & { method: string };
  response: StreamedResponse;
  caller: Principal;
}

/** Answers calls with streams of changes, and keeps these while their callers may have them. */
@Injectable()
export class Streams implements BeforeApplicationShutdown {
  private readonly open = new Map<EventStream, OpenStream>();
  private isStopping = false;

  constructor(
    private readonly limit: StreamLimit,
    private readonly feed: ChangeFeed,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws Problem 429 `too_many_streams`, 503 */
  async answer(call: StreamCall, shown: Omit<Follower, 'stream'>): Promise<void> {
    const { request, response, caller } = call;
    if (request.method === 'HEAD') return answerStream(response, null);
    if (this.isStopping) throw stopping();
    const leave = this.limit.take(caller.userId);
    const stream = new EventStream();
    stream.once('close', leave);
    onAnswered(rawOf(response), () => stream.destroy());
    try {
      await untilDeadline(request, this.feed.follow({ stream, ...shown }, positionOf(request)));
    } catch (error) {
      stream.destroy();
      throw error;
    }
    if (stream.destroyed) return;
    // At once, so that the client sees that the stream is there.
    stream.comment();
    outsideOfCalls(() => this.keep(stream, call));
    answerStream(response, stream);
  }

  /** Before the server waits for its connections to end. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    const closed = [...this.open].map(([stream, open]) => {
      open.end();
      return new Promise<void>((resolve) => stream.once('close', resolve));
    });
    await settledInTime(Promise.all(closed).then(() => undefined));
    for (const stream of this.open.keys()) stream.destroy();
  }

  private keep(stream: EventStream, { request, response, caller }: StreamCall): void {
    let confirmedAt = this.clock.monotonic();
    const isAdmitted = async () => {
      try {
        const now = await this.authenticator.authenticate(request);
        confirmedAt = this.clock.monotonic();
        return now !== null && isSame(now, caller);
      } catch (error) {
        return isDatabaseUnavailable(error) && this.clock.monotonic() - confirmedAt < UNCONFIRMED_MS;
      }
    };
    const cut = () => stream.destroy();
    this.open.set(stream, new OpenStream(stream, { clock: this.clock, isAdmitted, cut }));
    stream.once('close', () => {
      this.open.delete(stream);
      // Express's response does not notice that what is piped into it was destroyed.
      if (!stream.readableEnded) rawOf(response).destroy();
    });
  }
}

function positionOf({ headers }: IncomingRequest): string | null {
  const position = headers['last-event-id'];
  return typeof position === 'string' && position !== '' ? position : null;
}

const isSame = (one: Principal, other: Principal) =>
  one.userId === other.userId &&
  one.scopes.length === other.scopes.length &&
  one.scopes.every((scope) => other.scopes.includes(scope));

const stopping = () =>
  new Problem(503, 'stopping', 'This process is about to stop. Try again.', {
    headers: { 'Retry-After': '1' },
  });
