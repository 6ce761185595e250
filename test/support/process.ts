import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFlags } from './node-flags.js';
import { ADMIN_KEY, type Answer, type CallOptions, call } from './service.js';
import { until } from './until.js';

const MAIN = join(import.meta.dirname, '../../dist/src/main.js');

export const ENCRYPTION_KEYS = `test:${Buffer.alloc(32, 1).toString('base64')}`;

/** Enough to start in production, on a database that is migrated. */
export const production = { NODE_ENV: 'production', ENCRYPTION_KEYS, ALLOW_PRIVATE_NETWORK: 'true' };

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The service as it is built, in a process of its own and a folder of its own. */
export class ServiceProcess {
  readonly url: string;
  /** Everything printed so far, to the console and to the error console. */
  output = '';
  readonly exited: Promise<Exit>;
  private readonly child: ChildProcess;

  constructor(port: number, env: Record<string, string>) {
    this.url = `http://127.0.0.1:${port}`;
    const folder = mkdtempSync(join(tmpdir(), 'webhook-process-'));
    this.child = spawn(process.execPath, [...nodeFlags, MAIN], {
      cwd: folder,
      env: { PATH: process.env.PATH, PORT: String(port), RATE_LIMIT_PER_MINUTE: '0', ...env },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        this.output += text;
      });
    }
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        rmSync(folder, { recursive: true, force: true });
        resolve({ code, signal });
      });
    });
  }

  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return call(this.url + path, method, body, options);
  }

  /** What the readiness endpoint answers; 0 while nobody listens. */
  async readiness(): Promise<number> {
    return this.call('GET', '/health/ready').then(
      ({ status }) => status,
      () => 0,
    );
  }

  async ready(): Promise<void> {
    let ended: Exit | undefined;
    void this.exited.then((exit) => {
      ended = exit;
    });
    await until(
      async () => {
        if (ended) throw new Error(`The service ended with ${JSON.stringify(ended)}:\n${this.output}`);
        return (await this.readiness()) === 200;
      },
      { withinMs: 15_000, what: 'readiness' },
    );
  }

  end(signal: NodeJS.Signals): Promise<Exit> {
    this.child.kill(signal);
    return this.exited;
  }
}

/** A service that has yet to become ready, or to fail. */
export async function spawnService(env: Record<string, string> = {}): Promise<ServiceProcess> {
  return new ServiceProcess(await freePort(), env);
}

/** A service that is ready. */
export async function startProcess(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await spawnService({ BOOTSTRAP_API_KEY: ADMIN_KEY, ...env });
  await service.ready();
  return service;
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
