import type { HttpService } from '@nestjs/axios';
import type { AxiosRequestConfig } from 'axios';
import { firstValueFrom } from 'rxjs';
import type { Connector } from '../egress/connector.js';
import { PhaseClock } from '../egress/phase-clock.js';
import { ExchangeRecorder } from './exchange-recorder.js';
import { ExchangeTransport, safeHeaders } from './exchange-transport.js';
import { ReceiverAgents } from './receiver-agents.js';
import type { Exchange, OutgoingRequest, Transport } from './transport.js';

/** What axios would add by itself where a request does not name them; `false` makes it leave them out. */
const AXIOS_HEADERS = ['Accept', 'Accept-Encoding', 'User-Agent', 'Content-Type'];

/**
 * The second transport, for hosts whose request interceptors sit on an `HttpService` of `@nestjs/axios`. Connections
 * are the Connector's all the same: agents and proxies of the host do not apply, or the address policy would not.
 */
export class AxiosTransport implements Transport {
  private readonly agents: ReceiverAgents;
  private readonly freshAgents: ReceiverAgents;

  constructor(
    private readonly httpService: HttpService,
    connector: Connector,
  ) {
    this.agents = new ReceiverAgents(connector, { keepAlive: true });
    this.freshAgents = new ReceiverAgents(connector, { keepAlive: false });
  }

  async send(request: OutgoingRequest, signal: AbortSignal): Promise<Exchange> {
    const clock = new PhaseClock();
    const { exchange, wentStale } = await this.exchange(request, signal, clock, this.agents);
    // The receiver closed an idle connection as the request went out (RFC 9112, section 9.3.1). Delivery is at
    // least once, so even a receiver that has read it may be asked again.
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
    const transport = new ExchangeTransport(request.headers, { signal, clock }, recorder);
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
      // Once the request is on the wire, the wire tells how it went, whatever response interceptors make of it.
      if (!transport.wasUsed) recorder.fail(result);
    };
    firstValueFrom(this.httpService.request(config)).then(failUnlessSent, failUnlessSent);
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
    // Any limit here would put a stream of axios' own around the response.
    maxContentLength: -1,
    maxBodyLength: Infinity,
  };
}
