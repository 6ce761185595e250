import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type { Connector, Target } from '../connector.js';
import type { PhaseClock } from '../phase-clock.js';
import type { NamedTls } from '../tls/client-tls.js';

/** Key in a request's options for the attempt that its connection is opened for. */
export const ATTEMPT = Symbol('attempt');

/** In milliseconds. How long an idle connection is kept; many servers close theirs after 5 s. */
const KEEP_ALIVE_MS = 4_000;

export interface AgentAttempt {
  signal: AbortSignal;
  clock: PhaseClock;
  tls: NamedTls | undefined;
}

type AgentRequest = http.RequestOptions & { [ATTEMPT]?: AgentAttempt };
type ConnectCallback = (error: Error | null, stream: Duplex) => void;

/** Agents of `node:http` and `node:https` whose connections are all opened by the {@link Connector}. */
export class ReceiverAgents {
  readonly http: http.Agent;
  readonly https: https.Agent;

  constructor(connector: Connector, { keepAlive }: { keepAlive: boolean }) {
    const options = { keepAlive, timeout: KEEP_ALIVE_MS, scheduling: 'lifo' as const };
    this.http = new http.Agent(options);
    this.https = new https.Agent(options);
    this.http.createConnection = connectWith(connector, 'http:');
    this.https.createConnection = connectWith(connector, 'https:');
    const nameOf = this.https.getName.bind(this.https);
    // The name of a pool. Its connections are shared only by those who show and trust the same.
    this.https.getName = (options) => {
      const { tls } = (options as AgentRequest | undefined)?.[ATTEMPT] ?? {};
      return tls === undefined ? nameOf(options) : `${nameOf(options)} ${tls.id}`;
    };
  }

  destroy(): void {
    this.http.destroy();
    this.https.destroy();
  }
}

function connectWith(connector: Connector, protocol: Target['protocol']) {
  return (options: http.RequestOptions, callback?: ConnectCallback): undefined => {
    const attempt = (options as AgentRequest)[ATTEMPT];
    if (attempt === undefined) throw new Error('These agents serve the transport only.');
    const hostname = options.host ?? '';
    const port = Number(options.port || (protocol === 'https:' ? 443 : 80));
    connector.connect({ protocol, hostname, port, tls: attempt.tls }, attempt.signal, attempt.clock).then(
      (socket) => callback?.(null, socket),
      (error) => callback?.(error, undefined as never),
    );
    return undefined;
  };
}
