import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/until.js';
import { OwnServer } from '../../system/support/own-server.js';
import { queryOnce } from '../../system/support/query-once.js';
import { Network } from './network.js';

const READY_MS = 90_000;

/** A database server on a host of its own. */
export abstract class DatabaseNode extends OwnServer {
  readonly name: string;
  readonly address: string;

  constructor(
    private readonly network: Network,
    folder: string,
  ) {
    super(folder);
    const { host, address } = network.add();
    this.name = host;
    this.address = address;
  }

  /** How many nodes are in the cluster as it sees it, if it takes part itself with all of its data; otherwise 0. */
  abstract members(): Promise<number>;

  /** As the service reaches it without a proxy. */
  get url(): string {
    return `mysql://root@${this.address}:3306/cluster`;
  }

  /** By which a connection tells where it has come to. */
  get pidFile(): string {
    return join(this.folder, 'pid');
  }

  /** No packet reaches it, or leaves it. */
  cutOff(): void {
    this.network.cutOff(this.name);
  }

  connect(): void {
    this.network.connect(this.name);
  }

  /** Waits until it takes part, in a cluster of so many nodes. */
  async joined(size: number): Promise<void> {
    const hasJoined = async () => {
      if (this.pid === 0) throw new Error(`${this.name} has ended`);
      return (await this.members()) >= size;
    };
    await until(hasJoined, { withinMs: READY_MS, everyMs: 200, what: `${this.name} to join the cluster` });
  }

  /** Also while it is cut off: by a socket that is a file. */
  query<T>(sql: string, database = ''): Promise<T[]> {
    const socketPath = join(this.folder, 'socket');
    return queryOnce({ socketPath, user: 'root', connectTimeout: 1000, database }, sql);
  }

  protected runInside(program: string, words: string[], env: Record<string, string> = {}): void {
    this.run('ip', [...this.network.inside(this.name), program, ...words], { ...process.env, ...env });
  }
}

/** Three servers that replicate each other. */
export abstract class Cluster<Node extends DatabaseNode = DatabaseNode> {
  readonly nodes: Node[];
  protected readonly folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  private readonly network = new Network();

  /** @param install fills the folder of the data that all of them begin with. */
  constructor(install: (data: string) => void, Kind: new (network: Network, folder: string) => Node) {
    const installed = join(this.folder, 'installed');
    install(installed);
    this.nodes = ['a', 'b', 'c'].map((name) => {
      const folder = join(this.folder, name);
      mkdirSync(folder);
      cpSync(installed, join(folder, 'data'), { recursive: true });
      return new Kind(this.network, folder);
    });
  }

  /** Starts all nodes after all have ended, as an operator would if they do not find together by themselves. */
  abstract startAll(): Promise<void>;
  protected abstract begin(first: Node, others: Node[]): Promise<void>;
  protected abstract spawn(node: Node): void;

  async begun(): Promise<this> {
    try {
      const [first, ...others] = this.nodes as [Node, ...Node[]];
      await this.begin(first, others);
      return this;
    } catch (error) {
      const told = this.withLogs(error);
      await this.close();
      throw told;
    }
  }

  /** Starts a node that has ended, and waits until all are together. */
  async rejoin(node: Node): Promise<void> {
    this.spawn(node);
    await this.whole();
  }

  /** Waits until all nodes take part, and each sees all. */
  async whole(): Promise<void> {
    for (const node of this.nodes)
      await node.joined(this.nodes.length).catch((error) => {
        throw this.withLogs(error);
      });
  }

  /** Waits until the other nodes are a cluster without this one. */
  async without(node: Node): Promise<void> {
    const others = this.nodes.filter((other) => other !== node);
    const haveAgreed = async () => {
      const sizes = await Promise.all(others.map((other) => other.members()));
      return sizes.every((size) => size === others.length);
    };
    await until(haveAgreed, { withinMs: READY_MS, everyMs: 50, what: `a cluster without ${node.name}` });
  }

  async close(): Promise<void> {
    for (const node of this.nodes) node.signal('SIGCONT');
    await Promise.all(this.nodes.map((node) => node.end('SIGKILL')));
    this.network.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  protected get addresses(): string[] {
    return this.nodes.map(({ address }) => address);
  }

  /** What the nodes have said lately. */
  get logs(): string {
    return this.nodes
      .map(({ log }) => log.replace(/.*Aborted connection.*\n/g, '').slice(-3000))
      .join('\n---\n');
  }

  protected withLogs(error: unknown): Error {
    return new Error(`${(error as Error).message}\n${this.logs}`);
  }
}
