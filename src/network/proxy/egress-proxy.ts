import { isIP, type Socket } from 'node:net';
import { unescape as percentDecoded } from 'node:querystring';
import { unlessAborted } from '../abortable-socket.js';
import { AttemptFailure, BlockedAddressError } from '../attempt-failure.js';
import type { Dialler } from '../dialler.js';
import type { Resolve } from '../dns/resolver.js';
import { notHttp, readProxyAnswer } from './proxy-answer.js';

/** An HTTP proxy that connects to receivers (CONNECT, RFC 9110, 9.3.6) and decides where connections may go. */
export class EgressProxy {
  private readonly hostname: string;
  private readonly port: number;
  private readonly authorization: string;

  constructor(
    url: string,
    private readonly resolve: Resolve,
    private readonly dialler: Dialler,
  ) {
    const { hostname, port, username, password } = new URL(url);
    this.hostname = hostname.replace(/^\[|\]$/g, '');
    this.port = Number(port || 80);
    const credentials = Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`);
    this.authorization =
      username || password ? `Proxy-Authorization: Basic ${credentials.toString('base64')}\r\n` : '';
  }

  /**
   * @param authority host and port of the receiver, as in a URL.
   * @returns a socket whose other end is the receiver.
   * @throws BlockedAddressError, or another AttemptFailure.
   */
  async open(authority: string, signal: AbortSignal): Promise<Socket> {
    const socket = await this.dial(signal);
    try {
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${this.authorization}\r\n`);
      const refusal = refusalOf(await readProxyAnswer(socket, signal));
      if (refusal !== null) throw refusal;
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  private async dial(signal: AbortSignal): Promise<Socket> {
    const addresses =
      isIP(this.hostname) === 0 ? await unlessAborted(this.addresses(), signal) : [this.hostname];
    try {
      return await this.dialler.first(addresses, this.port, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof AttemptFailure)) throw error;
      throw new AttemptFailure(error.failure, 'The proxy could not be reached.', { cause: error });
    }
  }

  private async addresses(): Promise<string[]> {
    const found = await this.resolve(this.hostname).catch(() => []);
    if (found.length > 0) return found;
    throw new AttemptFailure('dns', 'The host name of the proxy could not be resolved.');
  }
}

/** Null if the proxy has connected. */
function refusalOf(head: string): AttemptFailure | null {
  const [, status] = /^HTTP\/1\.[01] (\d{3})(?: |\r|$)/.exec(head) ?? [];
  if (status === undefined) return notHttp();
  if (status.startsWith('2')) return null;
  if (status === '403') return new BlockedAddressError('The proxy does not allow this address.');
  const message =
    status === '407'
      ? 'The proxy wants other credentials than it was given.'
      : `The proxy did not connect; it answered ${status}.`;
  return new AttemptFailure('connection_refused', message);
}
