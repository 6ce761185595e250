import { type ChildProcess, fork } from 'node:child_process';

interface Answer {
  ready?: true;
  call?: number;
  result?: unknown;
  error?: string;
}

interface ChildOptions {
  env?: Record<string, string>;
  execArgv?: string[];
  cwd?: string;
}

/** A child process that answers calls (see `commands.ts`). */
export class Child {
  private readonly waiting = new Map<number, PromiseWithResolvers<unknown>>();
  private readonly ready = Promise.withResolvers<void>();
  private readonly exited = Promise.withResolvers<void>();
  private calls = 0;

  private constructor(
    private readonly name: string,
    private readonly process: ChildProcess,
  ) {
    process.on('message', (message: Answer) => this.take(message));
    process.on('exit', (code, signal) => {
      const error = new Error(`${name} ended (${signal ?? code})`);
      this.ready.reject(error);
      for (const { reject } of this.waiting.values()) reject(error);
      this.exited.resolve();
    });
    this.ready.promise.catch(() => {});
  }

  /** @param name of a file in `processes/`. Its standard output is discarded. */
  static async start(name: string, { env, execArgv, cwd }: ChildOptions = {}): Promise<Child> {
    const script = new URL(`../processes/${name}.js`, import.meta.url);
    const child = new Child(
      name,
      fork(script, [], {
        env: { ...inherited(), ...env },
        execArgv: execArgv ?? [],
        ...(cwd ? { cwd } : {}),
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      }),
    );
    await child.ready.promise;
    return child;
  }

  call<Result>(name: string, parameter: unknown = null): Promise<Result> {
    const call = ++this.calls;
    const answer = Promise.withResolvers<unknown>();
    this.waiting.set(call, answer);
    this.process.send({ call, name, parameter }, (error) => error && answer.reject(error));
    return answer.promise as Promise<Result>;
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited.promise;
  }

  /** Lets it end by itself. */
  async stop(): Promise<void> {
    this.process.kill('SIGTERM');
    await this.exited.promise;
  }

  private take({ ready, call, result, error }: Answer): void {
    if (ready) this.ready.resolve();
    if (call === undefined) return;
    const answer = this.waiting.get(call);
    this.waiting.delete(call);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error(`${this.name}: ${error}`));
  }
}

/** The caller's environment without settings that could change the measurement. */
export function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'NODE_PATH'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] ? [[name, process.env[name] ?? '']] : [])),
  );
}
