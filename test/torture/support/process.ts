import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFlags } from '../../support/node-flags.js';
import type { Answer } from '../../support/service.js';
import { until } from '../../support/until.js';
import { MAIN, SERVICE_ENV } from './settings.js';

const KEPT_OUTPUT = 64 * 1024;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Between the signal and the end. */
  ms: number;
}

/** A place where the service runs: the port stays, processes come and go. */
export class Service {
  readonly url: string;
  /** When the process of now was started, and could do its work. */
  spawnedAt = 0;
  readyAt = 0;
  /** The last that was printed. */
  output = '';
  private readonly folder = mkdtempSync(join(tmpdir(), 'torture-service-'));
  private child: ChildProcess | null = null;
  private ended: Promise<Omit<Exit, 'ms'>> = Promise.resolve({ code: null, signal: null });

  private constructor(
    private readonly port: number,
    private readonly env: Record<string, string>,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  static async at(env: Record<string, string>): Promise<Service> {
    return new Service(await freePort(), env);
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child !== null;
  }

  /** Resolves when it is ready. */
  async start(more: Record<string, string> = {}): Promise<void> {
    this.spawn(more);
    await until(
      async () => {
        if (!this.isRunning) throw new Error(`The service ended:\n${this.output}`);
        return (await this.readiness()) === 200;
      },
      { withinMs: 30_000, what: 'readiness' },
    );
    this.readyAt = Date.now();
  }

  /** Resolves at once; it may end by itself. */
  spawn(more: Record<string, string> = {}): void {
    this.output = '';
    this.spawnedAt = Date.now();
    const child = spawn(process.execPath, [...nodeFlags, MAIN], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, PORT: String(this.port), ...SERVICE_ENV, ...this.env, ...more },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-KEPT_OUTPUT);
      });
    }
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.child = null;
        resolve({ code, signal });
      });
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  async end(signal: NodeJS.Signals): Promise<Exit> {
    const at = Date.now();
    this.signal(signal);
    return { ...(await this.exit()), ms: Date.now() - at };
  }

  /** Resolves when it has ended by itself. */
  exit(): Promise<Omit<Exit, 'ms'>> {
    return this.ended;
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${SERVICE_ENV.BOOTSTRAP_API_KEY}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : undefined,
    };
  }

  /** What the readiness endpoint answers; 0 while nobody listens. */
  readiness(): Promise<number> {
    return this.call('GET', '/health/ready').then(
      ({ status }) => status,
      () => 0,
    );
  }

  /** Resident memory in MiB: of now, and the most since the last {@link resetPeak}. */
  get memory(): { now: number; peak: number } {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const read = (name: string) =>
      Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
    return { now: read('VmRSS'), peak: read('VmHWM') };
  }

  resetPeak(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
  }

  async close(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Below the ports that outgoing connections take: it must still be free after a restart. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = net.createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
