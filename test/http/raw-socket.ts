import net from 'node:net';
import { afterEach } from '@jest/globals';

/** A new connection, on which anything can be sent. That it is cut off is no error. */
export const rawSocket = (url: string): net.Socket =>
  net.connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});

/** Opens connections, and cuts those of a test when it has ended. */
export function useSockets(url: () => string): () => net.Socket {
  const open: net.Socket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });
  return () => {
    const socket = rawSocket(url());
    open.push(socket);
    return socket;
  };
}

/** Everything that comes until the connection is closed, which is done here once it is enough. */
export async function receivedBy(
  socket: net.Socket,
  isEnough?: (received: string) => boolean,
): Promise<string> {
  let received = '';
  socket.setEncoding('latin1').on('data', (part) => {
    received += part;
    if (isEnough?.(received)) socket.destroy();
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

/** Sends `beginning`, then a byte every 50 ms. @returns everything received once the connection is closed. */
export async function dribble(url: string, beginning: string, byte = ''): Promise<string> {
  const socket = rawSocket(url);
  socket.write(beginning);
  const timer = byte ? setInterval(() => socket.write(byte), 50) : undefined;
  const received = await receivedBy(socket);
  clearInterval(timer);
  return received;
}
