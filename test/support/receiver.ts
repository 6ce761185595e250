import { EventEmitter, once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { TLSSocket } from 'node:tls';
import { pem } from './certs/pem.js';
import { type FaultName, faults } from './faults.js';
import { LocalServer } from './local-server.js';
import { PATIENCE_MS } from './until.js';

export interface ReceivedRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Names and values alternate, as they were sent. */
  rawHeaders: string[];
  body: Buffer;
  /** When the body was complete, in epoch milliseconds. */
  at: number;
  /** The name in the certificate that the client showed. */
  client?: string;
}

export interface Reply {
  /** @default 200 */
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** The response is sent once this settles. */
  after?: Promise<unknown>;
}

/** A reply, a fault name, a function of the request, or a list: one entry per request, the last one repeats. */
export type Responder =
  | Reply
  | FaultName
  | ((request: ReceivedRequest) => Reply | FaultName | Promise<Reply | FaultName>);

export interface ReceiverOptions {
  /**
   * `valid`, `expired` and `issued` serve HTTPS with that certificate; `mutual` is like `issued` and wants one of the
   * client; `stuck` never finishes the handshake. @default HTTP
   */
  tls?: 'valid' | 'expired' | 'issued' | 'mutual' | 'stuck';
  /** @default 127.0.0.1 */
  host?: string;
}

/** The receiver's certificate (PEM), for clients that should trust it. */
export const certificate = (name: 'valid' | 'expired'): string => pem(`${name}.cert`);

/** Starts an HTTP server on a free port that records requests and gives scripted responses. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const receiver = new Receiver(options);
  await receiver.listen();
  return receiver;
}

export class Receiver extends LocalServer {
  readonly requests: ReceivedRequest[] = [];
  /** How many requests wait for their answers now, and did so at most. */
  readonly underWay = { now: 0, most: 0 };
  private readonly scripts = new Map<string, Responder[]>();
  private readonly changes = new EventEmitter().setMaxListeners(0);

  constructor({ tls, host }: ReceiverOptions) {
    super(serverWith(tls), tls ? 'https' : 'http', host);
    this.server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
      this.receive(request, response).catch((error) => response.destroy(error));
    });
  }

  /** The requests to one path, whatever their query. */
  at(path: string): ReceivedRequest[] {
    return this.requests.filter((request) => withoutQuery(request.path) === path);
  }

  /** Sets the response to all further requests, or only to those for one path (without the query). */
  respondWith(responder: Responder | Responder[]): void;
  respondWith(path: string, responder: Responder | Responder[]): void;
  respondWith(pathOrResponder: string | Responder | Responder[], responder?: Responder | Responder[]): void {
    const [path, script] =
      responder === undefined ? ['*', pathOrResponder] : [pathOrResponder as string, responder];
    this.scripts.set(path, [script].flat() as Responder[]);
  }

  /** Holds all further requests back. @returns what answers them so, and all that come later. */
  hold(reply: Reply = {}): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.respondWith({ ...reply, after: promise });
    return resolve;
  }

  /** Waits for the n-th request, or until the predicate holds; it is checked on every request and connection change. */
  async waitFor(condition: number | ((requests: ReceivedRequest[]) => boolean)): Promise<ReceivedRequest[]> {
    const holds = () =>
      typeof condition === 'number' ? this.requests.length >= condition : condition(this.requests);
    const patience = AbortSignal.timeout(PATIENCE_MS);
    while (!holds())
      await once(this.changes, 'change', { signal: patience }).catch(() => {
        const has = `it has ${this.requests.length} requests`;
        throw new Error(`The receiver waited ${PATIENCE_MS} ms in vain; ${has}.`);
      });
    return this.requests;
  }

  /** Begins anew, without recorded requests and scripted responses. */
  override async listen(): Promise<void> {
    this.requests.length = 0;
    Object.assign(this.underWay, { now: 0, most: 0 });
    this.scripts.clear();
    await super.listen();
  }

  private async receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const client = clientOf(request.socket);
    const received: ReceivedRequest = {
      ...(client && { client }),
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks),
      at: Date.now(),
    };
    this.requests.push(received);
    this.changes.emit('change');
    const responder = this.responderFor(received.path);
    this.underWay.most = Math.max(this.underWay.most, ++this.underWay.now);
    const reply = typeof responder === 'function' ? await responder(received) : responder;
    if (typeof reply === 'object') await reply.after;
    this.underWay.now--;
    if (typeof reply === 'string') faults[reply](request.socket);
    else response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
  }

  private responderFor(path: string): Responder {
    const script = this.scripts.get(withoutQuery(path)) ?? this.scripts.get('*') ?? [];
    return (script.length > 1 ? script.shift() : script[0]) ?? {};
  }

  protected override connectionsChanged(): void {
    this.changes.emit('change');
  }
}

const withoutQuery = (path: string): string => path.split('?', 1)[0] ?? '';

function serverWith(tls: ReceiverOptions['tls']): net.Server {
  if (tls === 'stuck') return net.createServer((socket) => socket.resume());
  if (tls === undefined) return http.createServer({ keepAliveTimeout: 60_000 });
  const name = tls === 'mutual' ? 'issued' : tls;
  const identity = { key: pem(`${name}.key`), cert: pem(`${name}.cert`) };
  const mutual = tls === 'mutual' && { requestCert: true, ca: pem('authority.cert') };
  return https.createServer({ ...identity, keepAliveTimeout: 60_000, ...mutual });
}

function clientOf(socket: net.Socket): string | undefined {
  if (!('getPeerCertificate' in socket)) return undefined;
  return (socket as TLSSocket).getPeerCertificate().subject?.CN as string | undefined;
}
