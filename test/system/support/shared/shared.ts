import net from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * Where the one is that all spec files of this run share: the browser's endpoint, the service's URL. It is started when it is
 * first asked for (`setup.mjs`), the service with the environment that this one gives.
 */
export async function shared(name: 'browser' | 'service', env: Record<string, string> = {}): Promise<string> {
  const socket = net.connect(process.env.TEST_SHARED ?? '');
  socket.write(`${JSON.stringify([name, env])}\n`);
  const { answer, error } = JSON.parse(await text(socket));
  if (error) throw new Error(error);
  return answer;
}
