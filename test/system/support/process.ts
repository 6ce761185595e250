import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN_KEY, type Answer, type CallOptions, call } from '../../support/call.js';
import type { DatabaseFixture } from '../../support/fixture.js';
import { until } from '../../support/until.js';
import { freePort } from './free-port.js';
import { nodeFlags } from './node-flags.js';

/** The built service. */
const MAIN = join(import.meta.dirname, '../../../dist/service/bundle/main.cjs');

/** Only the last characters of the output are kept: an hour-long run may print more than a test should hold. */
const KEPT_OUTPUT = 16 * 1024 * 1024;

export const ENCRYPTION_KEYS = `test:${Buffer.alloc(32, 1).toString('base64')}`;

/** The settings needed to start in production on a migrated database. */
export const production = { NODE_ENV: 'production', ENCRYPTION_KEYS, ALLOW_PRIVATE_NETWORK: 'true' };

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The built service at one address. It can be restarted there; each process runs in an empty folder. */
export class ServiceProcess {
  readonly url: string;
  /** Everything printed since the last start, to stdout and stderr. */
  output = '';
  /** When the last process was started, in epoch milliseconds. */
  spawnedAt = 0;
  /** Settles when the last process has ended and all its output is read. */
  exited: Promise<Exit> = Promise.resolve({ code: null, signal: null });
  private child: ChildProcess | null = null;

  private constructor(
    private readonly port: number,
    private readonly env: Record<string, string>,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Starts no process yet. */
  static async at(env: Record<string, string>): Promise<ServiceProcess> {
    return new ServiceProcess(await freePort(), env);
  }

  /** The process id, 0 while no process runs. */
  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child !== null;
  }

  /** Starts a process and resolves when it is ready. */
  async start(more: Record<string, string> = {}): Promise<void> {
    this.spawn(more);
    await this.ready();
  }

  /** Starts a process and does not wait for it to become ready. */
  spawn(more: Record<string, string> = {}): void {
    const folder = mkdtempSync(join(tmpdir(), 'webhook-process-'));
    this.output = '';
    this.spawnedAt = Date.now();
    const child = spawn(process.execPath, [...nodeFlags, MAIN], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        PORT: String(this.port),
        RATE_LIMIT_PER_MINUTE: '0',
        ...this.env,
        ...more,
      },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-KEPT_OUTPUT);
      });
    }
    this.child = child;
    this.exited = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.child = null;
        rmSync(folder, { recursive: true, force: true });
        resolve({ code, signal });
      });
    });
  }

  /** @throws with the output if the process ends before it is ready. */
  async ready(): Promise<void> {
    const isReady = async () => {
      if (!this.isRunning) {
        throw new Error(`The service ended with ${JSON.stringify(await this.exited)}:\n${this.output}`);
      }
      return (await this.readiness()) === 200;
    };
    await until(isReady, { what: 'readiness' });
  }

  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return call(this.url + path, method, body, options);
  }

  /** The status of the readiness endpoint; 0 while nothing listens. */
  readiness(): Promise<number> {
    return this.call('GET', '/health/ready').then(
      ({ status }) => status,
      () => 0,
    );
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Sends `signal` and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<Exit> {
    this.signal(signal);
    return this.exited;
  }
}

/** Starts a service without waiting for it to become ready. */
export async function spawnService(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await ServiceProcess.at(env);
  service.spawn();
  return service;
}

/** Starts a service and waits until it is ready. */
export async function startProcess(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await spawnService({ BOOTSTRAP_API_KEY: ADMIN_KEY, ...env });
  await service.ready();
  return service;
}

/** Starts a service on the database of a fixture, and kills it before that one is dropped. */
export async function startProcessOn(
  database: DatabaseFixture,
  env: Record<string, string> = {},
): Promise<ServiceProcess> {
  const service = await startProcess({ DATABASE_URL: database.url, ...env });
  database.defer(() => service.end('SIGKILL'));
  return service;
}
