import net from 'node:net';

/** Sends `beginning`, then a byte every 50 ms. @returns everything received once the connection is closed. */
export async function dribble(
  url: string,
  beginning: string,
  byte = '',
): Promise<{ answer: string; ms: number }> {
  const begin = Date.now();
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(beginning);
  const timer = byte ? setInterval(() => socket.write(byte), 50) : undefined;
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(timer);
  return { answer, ms: Date.now() - begin };
}
