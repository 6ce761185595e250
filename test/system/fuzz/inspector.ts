import { WebSocket } from 'undici';
import type { ServiceProcess } from '../support/process.js';

/** Environment that opens the debugger of a process. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** The debugger of a process that was started with {@link INSPECTED}. */
export class Inspector {
  private calls = 0;

  private constructor(private readonly socket: WebSocket) {}

  static async of(service: ServiceProcess): Promise<Inspector> {
    const address = /Debugger listening on (ws:\S+)/.exec(service.output)?.[1];
    if (!address) throw new Error('The process was not started to be looked into.');
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    return new Inspector(socket);
  }

  async collectGarbage(): Promise<void> {
    // Finalizers run by the first collection may release more for the second.
    await this.ask('HeapProfiler.collectGarbage');
    await this.ask('HeapProfiler.collectGarbage');
  }

  /** The value of an expression on the main thread. */
  async evaluate<T>(expression: string): Promise<T> {
    const answer = (await this.ask('Runtime.evaluate', { expression, returnByValue: true })) as {
      result: { value: T };
    };
    return answer.result.value;
  }

  close(): void {
    this.socket.close();
  }

  private ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.calls;
    return new Promise((resolve, reject) => {
      const hear = ({ data }: { data: string }) => {
        const message = JSON.parse(data);
        if (message.id !== id) return;
        this.socket.removeEventListener('message', hear);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result);
      };
      this.socket.addEventListener('message', hear);
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
