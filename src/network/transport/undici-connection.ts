import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { Connector } from '../connector.js';
import type { PhaseClock } from '../phase-clock.js';
import type { NamedTls } from '../tls/client-tls.js';
import type { Deadline } from './deadline.js';
import type { ExchangeRecorder } from './exchange-recorder.js';
import { InterimHeads } from './interim-heads.js';
import { MAX_READ_BYTES, type OutgoingRequest, targetOf } from './transport.js';

/** In milliseconds. How long an idle connection is kept; many servers close theirs after 5 s. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MAX_MS = 30_000;

interface Attempt {
  deadline: Deadline;
  clock: PhaseClock;
}

/** Where a connection leads, and what it shows and trusts there. */
export interface Place {
  origin: string;
  tls: NamedTls | undefined;
}

/** One connection to a place. It serves one attempt at a time, so a deadline that cuts it affects no other. */
export class UndiciConnection {
  private readonly client: Client;
  private attempt: Attempt | null = null;
  private recorder: ExchangeRecorder | null = null;
  private request: OutgoingRequest | null = null;
  /** The handler of all its requests: once one has failed there are no more. */
  private readonly handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => {
      // Not before: undici ends a connection on which something comes while it is idle, and must see that.
      this.interimHeads.expectAnswer();
      if (this.request?.mayWrite?.() === false)
        controller.abort(new Error('The request is not wanted any more.'));
    },
    onResponseStart: (_controller, status, headers) => this.recorder?.begin(status, headers),
    onResponseData: (_controller, chunk) => this.recorder?.data(chunk),
    onResponseEnd: () => {
      this.request = null;
      this.recorder?.end();
    },
    onResponseError: (_controller, error) => this.recorder?.fail(this.alert ?? error),
  };
  private socket: Socket | null = null;
  private dialled = false;
  private bytesReadBefore = 0;
  private readonly interimHeads = new InterimHeads();
  /** Why TLS ended the connection, which undici does not tell: a receiver refuses a certificate after the handshake. */
  private alert: Error | null = null;

  constructor(
    readonly place: Place,
    private readonly connector: Connector,
    onDisconnect: (connection: UndiciConnection) => void,
  ) {
    this.client = new Client(place.origin, {
      pipelining: 1,
      // The attempt's deadline is the only deadline. These would restart with each byte or interim response.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      connect: (options, callback) => this.connect(options, callback),
    });
    this.client.on('disconnect', () => onDisconnect(this));
  }

  /** Sends the request and reports to `recorder`. */
  send(request: OutgoingRequest, recorder: ExchangeRecorder, attempt: Attempt): void {
    this.attempt = attempt;
    this.recorder = recorder;
    this.request = request;
    this.dialled = false;
    this.bytesReadBefore = this.socket?.bytesRead ?? 0;
    const { url, headers, body } = request;
    // `dispatch` instead of `request`: the same exchange, without a stream that would have to be destroyed.
    this.client.dispatch({ method: 'POST', path: targetOf(url), headers, body }, this.handler);
  }

  get isOpen(): boolean {
    return this.client.stats.connected;
  }

  /** True if the last request went out on an earlier attempt's connection, and not one byte came back. */
  get wentStale(): boolean {
    return !this.dialled && this.socket !== null && this.socket.bytesRead === this.bytesReadBefore;
  }

  async destroy(): Promise<void> {
    if (!this.client.destroyed) await this.client.destroy();
  }

  private cutFlood(socket: Socket): void {
    if (socket.bytesRead - this.bytesReadBefore <= MAX_READ_BYTES) return;
    this.recorder?.overflow();
    socket.destroy();
  }

  /** undici reads the socket by its `read`. */
  private takeOutInterimHeads(socket: Socket): void {
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => {
      const chunk = read(size);
      return chunk === null ? null : this.interimHeads.without(chunk);
    };
  }

  private connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    // undici connects only while a request is queued.
    const { deadline, clock } = this.attempt as Attempt;
    const protocol = options.protocol as 'http:' | 'https:';
    const port = Number(options.port || (protocol === 'https:' ? 443 : 80));
    this.dialled = true;
    const { tls } = this.place;
    this.connector.connect({ protocol, hostname: options.hostname, port, tls }, deadline.signal, clock).then(
      (socket) => {
        this.socket = socket;
        this.bytesReadBefore = socket.bytesRead;
        this.takeOutInterimHeads(socket);
        socket.on('readable', () => this.cutFlood(socket));
        this.alert = null;
        socket.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code?.startsWith('ERR_SSL_')) this.alert ??= error;
        });
        callback(null, socket);
      },
      (error) => callback(error, null),
    );
  }
}
