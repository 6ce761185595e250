import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Measure } from '../certificates/measure.js';
import { faultOfChain } from './chain.js';
import { ServerFlight } from './server-flight.js';

const SECRET = /^SERVER_HANDSHAKE_TRAFFIC_SECRET \S+ ([0-9a-f]+)\s*$/;

/**
 * Stands between a TCP connection and TLS. OpenSSL verifies certificates in one piece, and gets them through here once
 * they are judged to be quickly verified. Afterwards the bytes pass as they are.
 */
export class JudgedSocket extends Duplex {
  private flight: ServerFlight | null;

  /** @param trusted of the authorities that the webhook names. */
  constructor(
    private readonly socket: Socket,
    trusted: Measure,
  ) {
    super();
    this.flight = new ServerFlight((certificates) => faultOfChain(certificates, trusted));
    socket
      .on('data', (chunk: Buffer) => this.receive(chunk))
      .on('end', () => this.push(null))
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy());
  }

  /** Reads along in the handshake of this connection, until it is open. */
  watch(secure: TLSSocket): void {
    const listen = (line: Buffer) => {
      const [, secret] = SECRET.exec(line.toString('latin1')) ?? [];
      if (secret === undefined || this.flight === null) return;
      this.flight.decryptWith(Buffer.from(secret, 'hex'));
      // OpenSSL is in the middle of reading.
      setImmediate(() => this.receive(Buffer.alloc(0)));
    };
    secure.on('keylog', listen);
    secure.once('secureConnect', () => {
      this.flight = null;
      secure.off('keylog', listen);
    });
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    // It does not wait until they are sent: an answer could come before, and its connection would not be free for the next.
    if (this.socket.write(chunk)) callback();
    else this.socket.once('drain', callback);
  }

  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'utf8', callback);
  }

  override _final(callback: () => void): void {
    this.socket.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.socket.destroy();
    callback(error);
  }

  private receive(chunk: Buffer): void {
    if (this.destroyed) return;
    try {
      const bytes = this.flight === null ? chunk : this.flight.read(chunk);
      if (bytes.length > 0 && !this.push(bytes)) this.socket.pause();
    } catch (error) {
      this.destroy(error as Error);
    }
  }
}
