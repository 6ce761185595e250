import { execFile } from 'node:child_process';
import { join } from 'node:path';

const COMMANDS = join(import.meta.dirname, '../../../dist/service/bundle');

/** How a command ended. */
export interface Ended {
  code: number;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Runs a command of the built service as its npm script does. */
export function runCommand(
  name: string,
  args: string[],
  env: Record<string, string>,
  cwd = process.cwd(),
): Promise<Ended> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { cwd, env: { PATH, NODE_COMPILE_CACHE, ...env } };
  return new Promise((resolve) => {
    const run = [join(COMMANDS, `${name}.cjs`), ...args];
    execFile(process.execPath, run, options, (error, stdout, stderr) => {
      const { code, signal } = error ?? {};
      resolve({ code: Number(code ?? 0), signal: signal ?? null, stdout, stderr });
    });
  });
}
