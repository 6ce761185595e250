import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const HOOKS = join(import.meta.dirname, 'typescript-hooks.mjs');
const MAIN = join(import.meta.dirname, 'fault-process.ts');

/** A receiver that answers each request with the fault named by its path. */
export class FaultServer {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcessWithoutNullStreams,
  ) {}

  static async start(): Promise<FaultServer> {
    const flags = ['--experimental-transform-types', '--disable-warning=ExperimentalWarning'];
    const child = spawn(process.execPath, ['--import', HOOKS, ...flags, MAIN]);
    child.stderr.pipe(process.stderr);
    const [url] = await once(child.stdout, 'data');
    return new FaultServer(String(url).trim(), child);
  }

  async close(): Promise<void> {
    this.child.stdin.end();
    await once(this.child, 'exit');
  }
}
