import { rawSocket, receivedBy } from '../http/raw-socket.js';

export interface ExchangeOptions {
  /** Whether no more need come. If it is left out, nothing more is sent after the bytes. */
  isEnough?: (received: string) => boolean;
  /** How long the server may be silent. @default for ever */
  silentMs?: number;
}

/** Sends this on a new connection. @returns everything the server at `url` writes; empty if it just closes. */
export async function exchange(
  url: string,
  bytes: string | Buffer,
  { isEnough, silentMs = 0 }: ExchangeOptions = {},
): Promise<string> {
  const socket = rawSocket(url);
  socket.setTimeout(silentMs, () => socket.destroy(new Error(`Nothing came for ${silentMs} ms.`)));
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  if (!isEnough) socket.end();
  const received = await receivedBy(socket, isEnough);
  const error: NodeJS.ErrnoException | null = socket.errored;
  if (error && !['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) throw error;
  return received;
}
