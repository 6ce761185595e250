import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A server that a test starts, kills and starts again, with a folder of its own. */
export class OwnServer {
  private child: ChildProcess | null = null;
  private ended: Promise<unknown> = Promise.resolve();

  constructor(protected readonly folder: string) {}

  /** Of the process; 0 while none runs. */
  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get log(): string {
    const path = join(this.folder, 'log');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** @param signal SIGTERM for a graceful stop, SIGKILL for a crash. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.signal(signal);
    await this.ended;
  }

  /** Does not wait until it answers. */
  run(program: string, words: string[], env: NodeJS.ProcessEnv): void {
    const log = openSync(join(this.folder, 'log'), 'a');
    const child = spawn(program, words, { stdio: ['ignore', log, log], env });
    this.child = child;
    this.ended = once(child, 'exit').then(() => {
      this.child = null;
    });
  }
}

/** Whether it is answered with no error. */
export const succeeds = (answer: Promise<unknown>): Promise<boolean> =>
  answer.then(
    () => true,
    () => false,
  );
