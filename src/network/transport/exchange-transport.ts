import http from 'node:http';
import https from 'node:https';
import { AxiosHeaders } from 'axios';
import type { ExchangeRecorder } from './exchange-recorder.js';
import { type AgentAttempt, ATTEMPT } from './receiver-agents.js';
import { MAX_READ_BYTES, type OutgoingRequest, targetOf } from './transport.js';

/**
 * The `transport` option of axios for one exchange. It makes the request itself, because only there interim responses,
 * upgrades and parser errors are visible.
 */
export class ExchangeTransport {
  private clientRequest: http.ClientRequest | null = null;
  private response: http.IncomingMessage | null = null;
  private bytesReadBefore = 0;

  constructor(
    private readonly wanted: Pick<OutgoingRequest, 'url' | 'headers' | 'mayWrite'>,
    private readonly attempt: AgentAttempt,
    private readonly recorder: ExchangeRecorder,
  ) {}

  /** Called by axios. */
  request(
    options: http.RequestOptions,
    onResponse: (response: http.IncomingMessage) => void,
  ): http.ClientRequest {
    const { recorder } = this;
    const target = targetOf(this.wanted.url);
    const complete = {
      ...options,
      // Axios leaves out an empty query. What an interceptor has set stays.
      ...(`${options.path}?` === target && { path: target }),
      headers: { ...options.headers, ...unsafeHeaders(this.wanted.headers) },
      [ATTEMPT]: this.attempt,
    };
    const client = options.protocol === 'https:' ? https : http;
    this.clientRequest = client
      .request(complete, (response) => {
        this.read(response);
        onResponse(response);
      })
      .on('socket', (socket) => {
        this.bytesReadBefore = socket.bytesRead;
        if (this.wanted.mayWrite?.() === false)
          this.clientRequest?.destroy(new Error('The request is not wanted any more.'));
      })
      .on('information', ({ statusCode }) => this.passOver(statusCode))
      .on('upgrade', ({ statusCode }, socket) => {
        socket.destroy();
        recorder.begin(statusCode ?? 0, {});
      })
      .on('error', (error) => {
        // When the parser fails, earlier data may still be buffered.
        this.response?.read();
        if (this.response?.readableEnded) recorder.end();
        else recorder.fail(error);
      });
    return this.clientRequest;
  }

  get wasUsed(): boolean {
    return this.clientRequest !== null;
  }

  /** True if the request went out on an earlier attempt's connection, and not one byte came back. */
  get wentStale(): boolean {
    const { clientRequest } = this;
    return clientRequest?.reusedSocket === true && clientRequest.socket?.bytesRead === this.bytesReadBefore;
  }

  destroy(): void {
    this.clientRequest?.destroy();
  }

  /** Ignores an interim response, unless they exceed the limit. */
  private passOver(status: number): void {
    const read = (this.clientRequest?.socket?.bytesRead ?? 0) - this.bytesReadBefore;
    if (read > MAX_READ_BYTES) {
      this.recorder.overflow();
      this.destroy();
    } else this.recorder.begin(status, {});
  }

  private read(response: http.IncomingMessage): void {
    const { recorder } = this;
    this.response = response;
    // Cut at once: after the end of the response, its connection may already serve another attempt.
    const cutIfDone = () => {
      if (recorder.isDone) response.destroy();
    };
    recorder.begin(response.statusCode ?? 0, response.headersDistinct);
    response
      .on('data', (chunk: Buffer) => {
        recorder.data(chunk);
        cutIfDone();
      })
      .on('end', () => {
        // Node gives the connection to the next request once this one is written, which it may not know yet over TLS.
        if (this.clientRequest?.writableFinished) recorder.end();
        else setImmediate(() => recorder.end());
      })
      .on('error', (error) => recorder.fail(error));
    cutIfDone();
  }
}

/** Headers that axios can hold. It keeps them as properties beside its methods: a header "set" would replace one. */
export function safeHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !(name in AxiosHeaders.prototype)));
}

function unsafeHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name in AxiosHeaders.prototype));
}
