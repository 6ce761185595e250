import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inherited } from './child.js';
import { atEnd } from './cleanup.js';
import { pause } from './stats.js';

/** The service that is measured, as it was built: another version's `dist`, to compare with. */
const BUILD = resolve(process.env.BENCH_BUILD ?? fileURLToPath(new URL('../../../dist', import.meta.url)));
export const MAIN = built('service/bundle/main.cjs', 'src/main.js');
export const MIGRATE = built(
  'service/bundle/migrate.cjs',
  'src/commands/migrate.js',
  'src/database/migrate.js',
);
const BOOT_MS = 60_000;

export const API_KEY = `whk_${'B'.repeat(43)}`;

/** Production settings, except for receivers on this machine and a single key for the load generator. */
export const SERVICE_ENV = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  BOOTSTRAP_API_KEY: API_KEY,
  ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
  ALLOW_PRIVATE_NETWORK: 'true',
  RATE_LIMIT_PER_MINUTE: '0',
};

export interface Running {
  pid: number;
  origin: string;
  /** Ends it with SIGTERM, so it finishes its attempts. */
  stop(): Promise<void>;
}

export function startService(
  databaseUrl: string,
  role: 'both' | 'api' | 'worker',
  nodeOptions: string[] = [],
  more: Record<string, string> = {},
): Promise<Running> {
  const env = { ...SERVICE_ENV, DATABASE_URL: databaseUrl, ROLE: role, ...more };
  return startServer(MAIN, env, '/health/live', [...nodeFlags(), ...nodeOptions]);
}

/** Starts a server that listens on PORT. Resolves when it answers `path`. */
export async function startServer(
  script: string,
  env: Record<string, string>,
  path: string,
  nodeOptions: string[] = [],
): Promise<Running> {
  const port = await freePort();
  const child = spawn(process.execPath, [...nodeOptions, script], {
    env: { ...inherited(), ...env, PORT: String(port) },
    // A folder without the developer's `.env`.
    cwd: tmpdir(),
    stdio: ['ignore', printedTo(env), 'inherit'],
  });
  child.once(
    'exit',
    atEnd(() => child.kill('SIGKILL')),
  );
  const origin = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  try {
    await answered(child, origin + path);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid as number, origin, stop };
}

/** A script of the build, under one of the names that versions gave it. */
function built(...names: string[]): string {
  const name = names.find((candidate) => existsSync(join(BUILD, candidate)));
  if (!name) throw new Error(`${BUILD} has none of ${names.join(', ')}. Run its build first.`);
  return join(BUILD, name);
}

/** Node's flags in `npm run start:prod` of the version that is measured, then those of `BENCH_NODE`. */
export function nodeFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(BUILD, '../package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const own = (scripts['start:prod'] ?? '').split(' ').filter((word) => word.startsWith('--'));
  return [...own, ...(process.env.BENCH_NODE ?? '').split(' ').filter(Boolean)];
}

/** `BENCH_OUT`: the file that gets what the processes print, one for each role. */
const printedTo = ({ ROLE = 'both' }: Record<string, string>) =>
  process.env.BENCH_OUT === undefined ? 'ignore' : openSync(`${process.env.BENCH_OUT}.${ROLE}`, 'a');

async function answered(child: ChildProcess, url: string): Promise<void> {
  for (const end = Date.now() + BOOT_MS; Date.now() < end; await pause(20)) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}`);
    const answer = await fetch(url).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.ok) return;
  }
  throw new Error(`No answer at ${url}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
