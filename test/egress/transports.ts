import { afterEach } from '@jest/globals';
import { HttpService } from '@nestjs/axios';
import axios from 'axios';
import { Connector, type ConnectorOptions } from '../../src/network/connector.js';
import type { NamedTls } from '../../src/network/tls/client-tls.js';
import { AxiosTransport } from '../../src/network/transport/axios.transport.js';
import type { Exchange, Transport } from '../../src/network/transport/transport.js';
import { UndiciTransport } from '../../src/network/transport/undici.transport.js';
import type { EgressConfig } from '../../src/platform/config/settings.js';
import { type ReceiverOptions, startReceiver } from '../support/receiver.js';

/** The production address policy, except that it allows this machine. */
export const loopback: EgressConfig = {
  allowHttp: true,
  allowPrivateNetwork: false,
  allowedNetworks: ['127.0.0.0/8', '::1/128'],
  proxy: null,
};

const httpService = new HttpService(axios.create());

/** Every transport by name; all of them meet the same contract. */
export const transports: [string, (connector: Connector) => Transport][] = [
  ['undici', (connector) => new UndiciTransport(connector)],
  ['axios', (connector) => new AxiosTransport(async () => httpService, new UndiciTransport(connector))],
];

/** Starts receivers and transports, and closes those of a test when it has ended. */
export function useBench(create: (connector: Connector) => Transport) {
  const closing: { close(): Promise<void> }[] = [];
  afterEach(() => Promise.all(closing.splice(0).map((one) => one.close())));
  const closed = <T extends (typeof closing)[0]>(one: T): T => {
    closing.push(one);
    return one;
  };
  return {
    /** Closes this, too. */
    closed,
    receiver: async (options?: ReceiverOptions) => closed(await startReceiver(options)),
    /** Uses the policy {@link loopback} by default. */
    transport: (options: Partial<ConnectorOptions> = {}) =>
      closed(create(new Connector({ egress: loopback, ...options }))),
  };
}

export interface PostOptions {
  headers?: Record<string, string>;
  body?: Buffer;
  tls?: NamedTls;
  mayWrite?: () => boolean;
  /** @default a minute, which no exchange takes that does not hang */
  deadline?: AbortSignal;
}

export function post(transport: Transport, url: string, options: PostOptions = {}): Promise<Exchange> {
  const { headers = {}, body = Buffer.from('{}'), deadline = AbortSignal.timeout(60_000), ...more } = options;
  const contentType = { 'Content-Type': 'application/json; charset=utf-8' };
  return transport.send(
    { url: new URL(url), headers: { ...contentType, ...headers }, body, ...more },
    deadline,
  );
}
