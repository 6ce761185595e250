import { Inject, Injectable } from '@nestjs/common';
import type { AttemptError } from '../../network/attempt-error.js';
import type { Deadline, DeadlineTransport } from '../../network/transport/deadline.js';
import {
  type Exchange,
  type OutgoingRequest,
  TRANSPORT,
  type Transport,
} from '../../network/transport/transport.js';
import type { OAuth2Authentication } from '../webhook/authentication.js';
import { AccessTokens } from './access-tokens.js';
import { EchoMask } from './echo-mask.js';
import { bearer } from './receiver-access.js';
import type { Receiver } from './receivers.js';

/** One call of a receiver, and what masks its answer. */
export interface Called {
  exchange: Exchange;
  echoes: EchoMask | null;
}

/** What one attempt sends, in one request or two. */
interface ReceiverRequest extends Pick<OutgoingRequest, 'body'> {
  mayWrite: () => boolean;
  /** The headers of this attempt alone. */
  own: Record<string, string>;
}

/** Calls a receiver with what it wants to be shown: headers, an access token, a certificate. */
@Injectable()
export class ReceiverCalls {
  constructor(
    @Inject(TRANSPORT) private readonly transport: Transport & Partial<DeadlineTransport>,
    private readonly tokens: AccessTokens,
  ) {}

  async call(receiver: Receiver, request: ReceiverRequest, deadline: Deadline): Promise<Called> {
    const { oauth2, echoes } = receiver.access;
    if (oauth2 === null)
      return { exchange: await this.send(receiver, receiver.headers, request, deadline), echoes };
    const send = (more: Record<string, string>) =>
      this.send(receiver, { ...receiver.headers, ...more }, request, deadline);
    return this.withToken(receiver, oauth2, send, deadline.signal);
  }

  private send(
    { url, access: { tls } }: Receiver,
    headers: Record<string, string>,
    { own, body, mayWrite }: ReceiverRequest,
    deadline: Deadline,
  ): Promise<Exchange> {
    const request = { url, headers: { ...headers, ...own }, body, tls, mayWrite };
    return this.transport.sendBy?.(request, deadline) ?? this.transport.send(request, deadline.signal);
  }

  /** A receiver may refuse a token before its time, such as after its own restart; one that is new gets a second try. */
  private async withToken(
    { webhookId, settings: { timeoutMs }, access }: Receiver,
    settings: OAuth2Authentication,
    send: (headers: Record<string, string>) => Promise<Exchange>,
    signal: AbortSignal,
  ): Promise<Called> {
    const client = { webhookId, settings, timeoutMs };
    const first = await this.tokens.get(client, signal);
    if ('error' in first) return failed(first.error);
    const exchange = await send({ authorization: bearer(first.token) });
    if (exchange.response?.status !== 401) return called(exchange, access.echoes, [first.token]);
    const second = await this.tokens.get(client, signal, first.token);
    if ('error' in second) {
      const { code, message } = second.error;
      return failed({ code, message: `The receiver did not accept the access token. ${message}` });
    }
    const again = await send({ authorization: bearer(second.token) });
    return called(again, access.echoes, [first.token, second.token]);
  }
}

/** An answer may repeat the token of its request. */
function called(exchange: Exchange, echoes: EchoMask | null, tokens: string[]): Called {
  const ofTokens = tokens.map((token) => EchoMask.of({ authorization: bearer(token) }));
  return { exchange, echoes: exchange.response && EchoMask.joined([echoes, ...ofTokens]) };
}

const failed = (error: AttemptError): Called => ({
  exchange: { response: null, error, phases: {} },
  echoes: null,
});
