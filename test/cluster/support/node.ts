import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../support/until.js';
import { queryOnce } from '../../system/support/query-once.js';
import type { Network } from './network.js';

const READY_MS = 90_000;

/** A database server on a host of its own. */
export abstract class DatabaseNode {
  readonly name: string;
  readonly address: string;
  private readonly host: string;
  private child: ChildProcess | null = null;
  private ended: Promise<unknown> = Promise.resolve();
  private hasEnded = true;

  constructor(
    private readonly network: Network,
    protected readonly folder: string,
  ) {
    const { host, address } = network.add();
    this.host = host;
    this.name = host;
    this.address = address;
  }

  /** How many nodes are in the cluster as it sees it, if it takes part itself with all of its data; otherwise 0. */
  abstract members(): Promise<number>;

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** As the service reaches it without a proxy. */
  get url(): string {
    return `mysql://root@${this.address}:3306/cluster`;
  }

  /** By which a connection tells where it has come to. */
  get pidFile(): string {
    return join(this.folder, 'pid');
  }

  get log(): string {
    const path = join(this.folder, 'log');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.signal(signal);
    await this.ended;
    this.child = null;
  }

  /** No packet reaches it, or leaves it. */
  cutOff(): void {
    this.network.cutOff(this.host);
  }

  connect(): void {
    this.network.connect(this.host);
  }

  /** Waits until it takes part, in a cluster of so many nodes. */
  async joined(size: number): Promise<void> {
    const hasJoined = async () => {
      if (this.hasEnded) throw new Error(`${this.name} has ended`);
      return (await this.members()) >= size;
    };
    await until(hasJoined, {
      withinMs: READY_MS,
      everyMs: 200,
      what: `${this.name} to join the cluster`,
    }).catch((error) => {
      throw withLogs(error, [this]);
    });
  }

  /** Also while it is cut off: by a socket that is a file. */
  query<T>(sql: string, database = ''): Promise<T[]> {
    const socketPath = join(this.folder, 'socket');
    return queryOnce({ socketPath, user: 'root', connectTimeout: 1000, database }, sql);
  }

  protected run(program: string, options: string[], env: Record<string, string> = {}): void {
    const log = openSync(join(this.folder, 'log'), 'a');
    const child = spawn('ip', [...this.network.inside(this.host), program, ...options], {
      stdio: ['ignore', log, log],
      env: { ...process.env, ...env },
    });
    this.child = child;
    this.hasEnded = false;
    this.ended = new Promise((resolve) => child.once('exit', resolve)).then(() => {
      this.hasEnded = true;
    });
  }
}

/** Servers that replicate each other. */
export interface Cluster {
  readonly nodes: DatabaseNode[];
  /** Starts a node that has ended, and waits until all are together. */
  rejoin(node: DatabaseNode): Promise<void>;
  /** Waits until all nodes take part, and each sees all. */
  whole(): Promise<void>;
  /** Starts all nodes after all have ended, as an operator would if they do not find together by themselves. */
  startAll(): Promise<void>;
  close(): Promise<void>;
}

/** Waits until each of the nodes sees all of them. */
export async function allTogether(nodes: DatabaseNode[]): Promise<void> {
  for (const node of nodes)
    await node.joined(nodes.length).catch((error) => {
      throw withLogs(error, nodes);
    });
}

/** Ends the servers, whatever state they are in. */
export async function endAll(nodes: DatabaseNode[]): Promise<void> {
  for (const node of nodes) node.signal('SIGCONT');
  await Promise.all(nodes.map((node) => node.pid && node.end('SIGKILL')));
}

/** For an error at the start of a cluster. */
export const withLogs = (error: unknown, nodes: DatabaseNode[]) =>
  new Error(
    `${(error as Error).message}\n${nodes.map(({ log }) => log.replace(/.*Aborted connection.*\n/g, '').slice(-3000)).join('\n---\n')}`,
  );
