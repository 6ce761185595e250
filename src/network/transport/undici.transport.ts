import type { Connector } from '../connector.js';
import { PhaseClock } from '../phase-clock.js';
import { Deadline, type DeadlineTransport } from './deadline.js';
import { ExchangeRecorder } from './exchange-recorder.js';
import type { Exchange, OutgoingRequest } from './transport.js';
import { type Place, UndiciConnection } from './undici-connection.js';

/** Idle connections kept for later requests, over all origins. */
const MAX_IDLE_CONNECTIONS = 1_000;

/** Connections to an origin are shared only by those who show and trust the same. */
const keyOf = ({ origin, tls }: Place) => (tls === undefined ? origin : `${origin} ${tls.id}`);

/** The default transport: undici, with a pool of keep-alive connections per origin. */
export class UndiciTransport implements DeadlineTransport {
  private readonly idle = new Map<string, UndiciConnection[]>();
  private readonly open = new Set<UndiciConnection>();
  private idleCount = 0;

  constructor(private readonly connector: Connector) {}

  send(request: OutgoingRequest, signal: AbortSignal): Promise<Exchange> {
    return this.sendBy(request, Deadline.of(signal));
  }

  async sendBy(request: OutgoingRequest, deadline: Deadline): Promise<Exchange> {
    const clock = new PhaseClock();
    const place = { origin: request.url.origin, tls: request.tls };
    const connection = this.takeIdle(place) ?? this.create(place);
    const exchange = await this.exchange(connection, request, deadline, clock);
    // The receiver closed an idle connection as the request went out (RFC 9112, section 9.3.1). Sending it again is
    // safe even if the receiver has read it, because delivery is at least once.
    const lostRace = exchange.error?.code === 'connection_reset' && connection.wentStale;
    return lostRace ? this.exchange(this.create(place), request, deadline, clock) : exchange;
  }

  async close(): Promise<void> {
    await Promise.all([...this.open].map((connection) => this.destroy(connection)));
  }

  private async exchange(
    connection: UndiciConnection,
    request: OutgoingRequest,
    deadline: Deadline,
    clock: PhaseClock,
  ): Promise<Exchange> {
    const recorder = new ExchangeRecorder(clock);
    deadline.onPassed = () => recorder.abort();
    if (deadline.hasPassed) recorder.abort();
    else connection.send(request, recorder, { deadline, clock });
    const { exchange, complete } = await recorder.outcome;
    deadline.onPassed = null;
    if (complete && connection.isOpen && this.idleCount < MAX_IDLE_CONNECTIONS) this.keep(connection);
    else void this.destroy(connection);
    return exchange;
  }

  private create(place: Place): UndiciConnection {
    const connection = new UndiciConnection(place, this.connector, (closed) => {
      // Only idle ones: undici reconnects by itself while a request is queued.
      if (this.idle.get(keyOf(place))?.includes(closed)) void this.destroy(closed);
    });
    this.open.add(connection);
    return connection;
  }

  /** Takes the most recently used one, which the receiver is least likely to have closed. */
  private takeIdle(place: Place): UndiciConnection | undefined {
    const connection = this.idle.get(keyOf(place))?.at(-1);
    if (connection !== undefined) this.removeIdle(connection);
    return connection;
  }

  private keep(connection: UndiciConnection): void {
    const key = keyOf(connection.place);
    const connections = this.idle.get(key);
    if (connections === undefined) this.idle.set(key, [connection]);
    else connections.push(connection);
    this.idleCount++;
  }

  private destroy(connection: UndiciConnection): Promise<void> {
    this.open.delete(connection);
    this.removeIdle(connection);
    return connection.destroy();
  }

  private removeIdle(connection: UndiciConnection): void {
    const key = keyOf(connection.place);
    const connections = this.idle.get(key) ?? [];
    const index = connections.lastIndexOf(connection);
    if (index === -1) return;
    connections.splice(index, 1);
    this.idleCount--;
    if (connections.length === 0) this.idle.delete(key);
  }
}
