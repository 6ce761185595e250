import { once } from 'node:events';
import { WebSocket } from 'undici';
import type { ServiceProcess } from '../support/process.js';

/** Environment that opens the debugger of a process. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** The debugger of a process that was started with {@link INSPECTED}. */
export class Inspector {
  private constructor(private readonly socket: WebSocket) {}

  static async of(service: ServiceProcess): Promise<Inspector> {
    const address = /Debugger listening on (ws:\S+)/.exec(service.output)?.[1];
    if (!address) throw new Error('The process was not started to be looked into.');
    const socket = new WebSocket(address);
    await once(socket, 'open');
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

  /** One thing after the other. */
  private async ask(method: string, params: object = {}): Promise<unknown> {
    this.socket.send(JSON.stringify({ id: 1, method, params }));
    const [{ data }] = await once(this.socket, 'message');
    const { error, result } = JSON.parse(data);
    if (error) throw new Error(error.message);
    return result;
  }
}
