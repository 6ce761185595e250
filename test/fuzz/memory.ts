import { WebSocket } from 'undici';
import type { ServiceProcess } from '../support/process.js';

export interface Memory {
  /** Reachable objects, in MB. */
  heap: number;
  /** Buffers outside the heap, in MB. */
  external: number;
  /** Resident memory of the whole process, in MB. */
  resident: number;
}

/** Environment that opens the debugger of a process. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** The memory that a process started with {@link INSPECTED} uses after garbage collection. */
export async function memoryOf(service: ServiceProcess): Promise<Memory> {
  const address = /Debugger listening on (ws:\S+)/.exec(service.output)?.[1];
  if (!address) throw new Error('The process was not started to be looked into.');
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  try {
    // Finalizers run by the first collection may release more for the second.
    await ask(socket, 1, 'HeapProfiler.collectGarbage');
    await ask(socket, 2, 'HeapProfiler.collectGarbage');
    const expression = 'JSON.stringify(process.memoryUsage())';
    const { result } = (await ask(socket, 3, 'Runtime.evaluate', { expression })) as {
      result: { value: string };
    };
    const { heapUsed, external, rss } = JSON.parse(result.value);
    return { heap: heapUsed / 1e6, external: external / 1e6, resident: rss / 1e6 };
  } finally {
    socket.close();
  }
}

function ask(socket: WebSocket, id: number, method: string, params: object = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const hear = ({ data }: { data: string }) => {
      const message = JSON.parse(data);
      if (message.id !== id) return;
      socket.removeEventListener('message', hear);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
    };
    socket.addEventListener('message', hear);
    socket.send(JSON.stringify({ id, method, params }));
  });
}
