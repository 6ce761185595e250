import type { HttpService } from '@nestjs/axios';
import axios, {
  AxiosError,
  AxiosHeaders,
  type AxiosRequestConfig,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';
import { firstValueFrom } from 'rxjs';
import { PhaseClock } from '../phase-clock.js';
import { ExchangeRecorder } from './exchange-recorder.js';
import type { Exchange, OutgoingRequest, Transport } from './transport.js';

/** Headers that axios adds to a request without them; the value `false` prevents that. */
const AXIOS_HEADERS = ['Accept', 'Content-Type'];

/**
 * For hosts with interceptors on an `HttpService` of `@nestjs/axios`, which see each request and may change its URL, headers
 * and body. Another transport sends it, as axios' adapter: what the host set for connections (agents, proxies, redirects,
 * time-outs) does not apply, since it would bypass the address policy.
 */
export class AxiosTransport implements Transport {
  constructor(
    private readonly httpService: () => Promise<HttpService>,
    private readonly transport: Transport,
  ) {}

  async send(request: OutgoingRequest, signal: AbortSignal): Promise<Exchange> {
    /** What becomes of a request that interceptors keep back. */
    const unsent = new ExchangeRecorder(new PhaseClock());
    const abort = () => unsent.abort();
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    // Once the request is on the wire its exchange is the outcome, whatever interceptors make of the response.
    const sent = new Promise<Exchange>((resolve) => {
      let sending: Promise<Exchange> | undefined;
      const adapter = async (config: InternalAxiosRequestConfig) => {
        // Once, even if an interceptor asks again: the service has retries of its own.
        sending ??= this.transport.send(changedBy(config, request), signal);
        signal.removeEventListener('abort', abort);
        const exchange = await sending;
        resolve(exchange);
        return responseTo(config, exchange);
      };
      const fail = (result: unknown) => unsent.fail(result);
      this.request(configOf(request, signal, adapter)).then(fail, fail);
    });
    return Promise.race([sent, unsent.outcome.then(({ exchange }) => exchange)]);
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  private async request(config: AxiosRequestConfig): Promise<AxiosResponse> {
    const service = await this.httpService();
    return firstValueFrom(service.request(config));
  }
}

function configOf(
  { url, headers, body }: OutgoingRequest,
  signal: AbortSignal,
  adapter: AxiosRequestConfig['adapter'],
): AxiosRequestConfig {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const leftOut = AXIOS_HEADERS.filter((name) => !given.has(name.toLowerCase())).map((name) => [name, false]);
  return {
    method: 'post',
    url: url.href,
    data: body,
    headers: { ...Object.fromEntries(leftOut), ...headersOf(headers, (name) => !isUnsafe(name)) },
    signal,
    adapter,
    transformRequest: [(data) => data],
    transformResponse: [(data) => data],
  };
}

/** The request as interceptors left it. */
function changedBy(config: InternalAxiosRequestConfig, request: OutgoingRequest): OutgoingRequest {
  return {
    ...request,
    url: new URL(axios.getUri(config)),
    headers: {
      ...(config.headers.toJSON(true) as Record<string, string>),
      ...headersOf(request.headers, isUnsafe),
    },
    body: config.data,
  };
}

/** What response interceptors see. @throws AxiosError if there is no response */
function responseTo(
  config: InternalAxiosRequestConfig,
  { response, error }: Exchange,
): AxiosResponse<string> {
  if (error !== null) throw new AxiosError(error.message, error.code, config);
  const { status, headers, body: data } = response;
  return { status, statusText: '', headers, data, config };
}

/** Axios keeps headers as properties beside its methods: one named "set" would replace a method. */
const isUnsafe = (name: string) => name in AxiosHeaders.prototype;

const headersOf = (headers: Record<string, string>, isWanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => isWanted(name)));
