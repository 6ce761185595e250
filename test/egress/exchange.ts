import net from 'node:net';

export interface ExchangeOptions {
  /** Whether no more need come. If it is left out, nothing more is sent after the bytes. */
  isEnough?: (received: string) => boolean;
  /** How long the server may be silent. @default for ever */
  silentMs?: number;
}

/** Sends this on a new connection. @returns everything the server at `url` writes; empty if it just closes. */
export function exchange(
  url: string,
  bytes: string | Buffer,
  { isEnough, silentMs = 0 }: ExchangeOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      answer += chunk;
      if (isEnough?.(answer)) socket.destroy();
    });
    socket.setTimeout(silentMs, () => socket.destroy(new Error(`Nothing came for ${silentMs} ms.`)));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      ['ECONNRESET', 'EPIPE'].includes(error.code ?? '') ? resolve(answer) : reject(error),
    );
    socket.on('close', () => resolve(answer));
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    if (!isEnough) socket.end();
  });
}
