import type { HttpService } from '@nestjs/axios';
import type { AxiosRequestConfig } from 'axios';
import { firstValueFrom } from 'rxjs';
import type { Connector } from '../connector.js';
import { PhaseClock } from '../phase-clock.js';
import { ExchangeRecorder } from './exchange-recorder.js';
import { ExchangeTransport, safeHeaders } from './exchange-transport.js';
import { ReceiverAgents } from './receiver-agents.js';
import type { Exchange, OutgoingRequest, Transport } from './transport.js';

/** Headers that axios adds to a request without them; the value `false` prevents that. */
const AXIOS_HEADERS = ['Accept', 'Accept-Encoding', 'User-Agent', 'Content-Type'];

/**
 * The second transport, for hosts with request interceptors on an `HttpService` of `@nestjs/axios`. The Connector still
 * opens the connections. Agents and proxies of the host do not apply, as they would bypass the address policy.
 */
export class AxiosTransport implements Transport {
  private readonly agents: ReceiverAgents;
  private readonly freshAgents: ReceiverAgents;

  constructor(
    private readonly httpService: () => Promise<HttpService>,
    connector: Connector,
  ) {
    this.agents = new ReceiverAgents(connector, { keepAlive: true });
    this.freshAgents = new ReceiverAgents(connector, { keepAlive: false });
  }

  async send(request: OutgoingRequest, signal: AbortSignal): Promise<Exchange> {
    const clock = new PhaseClock();
    const { exchange, wentStale } = await this.exchange(request, signal, clock, this.agents);
    // The receiver closed an idle connection as the request went out (RFC 9112, section 9.3.1). Sending it again is
    // safe even if the receiver has read it, because delivery is at least once.
    const lostRace = exchange.error?.code === 'connection_reset' && wentStale;
    return lostRace ? (await this.exchange(request, signal, clock, this.freshAgents)).exchange : exchange;
  }

  async close(): Promise<void> {
    this.agents.destroy();
    this.freshAgents.destroy();
  }

  private async exchange(
    request: OutgoingRequest,
    signal: AbortSignal,
    clock: PhaseClock,
    agents: ReceiverAgents,
  ): Promise<{ exchange: Exchange; wentStale: boolean }> {
    const recorder = new ExchangeRecorder(clock);
    const transport = new ExchangeTransport(request, { signal, clock, tls: request.tls }, recorder);
    const abort = () => recorder.abort();
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    else this.start(configOf(request, signal, agents, transport), recorder, transport);
    const { exchange, complete } = await recorder.outcome;
    signal.removeEventListener('abort', abort);
    if (!complete) transport.destroy();
    return { exchange, wentStale: transport.wentStale };
  }

  private start(config: AxiosRequestConfig, recorder: ExchangeRecorder, transport: ExchangeTransport): void {
    const failUnlessSent = (result: unknown) => {
      // Once the request is on the wire the recorder has the outcome, whatever response interceptors return.
      if (!transport.wasUsed) recorder.fail(result);
    };
    this.httpService()
      .then((service) => firstValueFrom(service.request(config)))
      .then(failUnlessSent, failUnlessSent);
  }
}

function configOf(
  { url, headers, body }: OutgoingRequest,
  signal: AbortSignal,
  agents: ReceiverAgents,
  transport: ExchangeTransport,
): AxiosRequestConfig {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const leftOut = AXIOS_HEADERS.filter((name) => !given.has(name.toLowerCase())).map((name) => [name, false]);
  return {
    method: 'post',
    url: url.href,
    data: body,
    headers: { ...Object.fromEntries(leftOut), ...safeHeaders(headers) },
    signal,
    transport,
    httpAgent: agents.http,
    httpsAgent: agents.https,
    responseType: 'stream',
    transformRequest: [(data) => data],
    transformResponse: [(data) => data],
    validateStatus: () => true,
    maxRedirects: 0,
    decompress: false,
    proxy: false,
    timeout: 0,
    // With a limit here, axios would wrap the response in a stream of its own.
    maxContentLength: -1,
    maxBodyLength: Infinity,
  };
}
