import http from 'node:http';
import https from 'node:https';
import { AxiosHeaders } from 'axios';
import type { PhaseClock } from '../egress/phase-clock.js';
import type { ExchangeRecorder } from './exchange-recorder.js';
import { ATTEMPT } from './receiver-agents.js';
import { MAX_READ_BYTES } from './transport.js';

/**
 * axios' `transport` option for one exchange: the place where the bytes go out, and the only one where interim
 * responses, upgrades and parser errors can be seen.
 */
export class ExchangeTransport {
  private clientRequest: http.ClientRequest | null = null;
  private response: http.IncomingMessage | null = null;
  private bytesReadBefore = 0;

  constructor(
    private readonly headers: Record<string, string>,
    private readonly attempt: { signal: AbortSignal; clock: PhaseClock },
    private readonly recorder: ExchangeRecorder,
  ) {}

  /** Called by axios. */
  request(
    options: http.RequestOptions,
    onResponse: (response: http.IncomingMessage) => void,
  ): http.ClientRequest {
    const { recorder } = this;
    const complete = {
      ...options,
      headers: { ...options.headers, ...unsafeHeaders(this.headers) },
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
      })
      .on('information', ({ statusCode }) => this.passOver(statusCode))
      .on('upgrade', ({ statusCode }, socket) => {
        socket.destroy();
        recorder.begin(statusCode ?? 0, {});
      })
      .on('error', (error) => {
        // Where the parser gives up, what it read before may still be buffered.
        this.response?.read();
        recorder.fail(error);
      });
    return this.clientRequest;
  }

  get wasUsed(): boolean {
    return this.clientRequest !== null;
  }

  /** True where the request went out on a connection of an earlier attempt, and not a byte came back. */
  get wentStale(): boolean {
    const { clientRequest } = this;
    return clientRequest?.reusedSocket === true && clientRequest.socket?.bytesRead === this.bytesReadBefore;
  }

  destroy(): void {
    this.clientRequest?.destroy();
  }

  /** An interim response. */
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
    // Cut at once: when the response has ended its connection is the agent's again, and perhaps another attempt's.
    const cutIfDone = () => {
      if (recorder.isDone) response.destroy();
    };
    recorder.begin(response.statusCode ?? 0, response.headersDistinct);
    response
      .on('data', (chunk: Buffer) => {
        recorder.data(chunk);
        cutIfDone();
      })
      .on('end', () => recorder.end())
      .on('error', (error) => recorder.fail(error));
    cutIfDone();
  }
}

/** What axios can be trusted with: it keeps headers as properties beside its methods, and "set" would replace one. */
export function safeHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !(name in AxiosHeaders.prototype)));
}

function unsafeHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name in AxiosHeaders.prototype));
}
