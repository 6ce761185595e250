import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../support/until.js';
import { freePort } from '../../system/support/free-port.js';
import { find, firstOf } from '../../system/support/programs.js';

/** The real script: that in the `PATH` of Debian changes the user, and keeps its log where it likes. */
const SCRIPTS = ['/usr/lib/rabbitmq/bin', '/opt/rabbitmq/sbin', '/usr/local/sbin', '/opt/homebrew/sbin'];
const server = firstOf(SCRIPTS.map((folder) => join(folder, 'rabbitmq-server')));
const epmd = find('epmd');

/** What a cluster of RabbitMQ needs and this machine has not; empty if it can run here. */
export const missingForRabbitmq: string[] = [
  ...(server ? [] : ['rabbitmq-server']),
  ...(epmd ? [] : ['epmd']),
];

const READY_MS = 120_000;
const ask = promisify(execFile);

interface QueueMembers {
  name: string;
  leader: string;
  /** The nodes whose members answer. */
  online: string[];
}

export class RabbitmqNode {
  private child: ChildProcess | null = null;
  private ended: Promise<unknown> = Promise.resolve();

  constructor(
    readonly name: string,
    readonly port: number,
    private readonly distributionPort: number,
    private readonly folder: string,
    private readonly env: Record<string, string>,
    config: string[],
  ) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'rabbitmq.conf'), config.map((line) => `${line}\n`).join(''));
    writeFileSync(join(folder, 'plugins'), '[].\n');
  }

  get log(): string {
    const path = join(this.folder, 'log');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  /** Does not wait until it answers. */
  spawn(): void {
    const log = openSync(join(this.folder, 'log'), 'a');
    const child = spawn(server as string, [], {
      stdio: ['ignore', log, log],
      env: {
        ...this.env,
        // The server itself is the child then, and not a shell that would survive it.
        RUNNING_UNDER_SYSTEMD: 'true',
        RABBITMQ_NODENAME: this.name,
        RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
        RABBITMQ_NODE_PORT: String(this.port),
        RABBITMQ_DIST_PORT: String(this.distributionPort),
        RABBITMQ_MNESIA_BASE: this.folder,
        RABBITMQ_MNESIA_DIR: join(this.folder, 'data'),
        RABBITMQ_FEATURE_FLAGS_FILE: join(this.folder, 'feature-flags'),
        RABBITMQ_GENERATED_CONFIG_DIR: join(this.folder, 'generated'),
        RABBITMQ_SCHEMA_DIR: join(this.folder, 'schema'),
        RABBITMQ_LOG_BASE: this.folder,
        RABBITMQ_LOGS: '-',
        RABBITMQ_PID_FILE: join(this.folder, 'pid'),
        RABBITMQ_CONFIG_FILE: join(this.folder, 'rabbitmq.conf'),
        RABBITMQ_ADVANCED_CONFIG_FILE: join(this.folder, 'advanced.config'),
        RABBITMQ_ENABLED_PLUGINS_FILE: join(this.folder, 'plugins'),
      },
    });
    this.child = child;
    this.ended = once(child, 'exit').then(() => {
      this.child = null;
    });
  }

  /** Runs `rabbitmqctl` against it. @throws Error if it answers with one, or not at all. */
  async control(...words: string[]): Promise<string> {
    const program = join(dirname(server as string), 'rabbitmqctl');
    const { stdout } = await ask(program, ['--quiet', '--node', this.name, ...words], { env: this.env });
    return stdout;
  }

  /** Waits until it takes part in a cluster of so many nodes. */
  async joined(size: number): Promise<void> {
    const hasJoined = async () => {
      if (!this.child) throw new Error(`${this.name} has ended:\n${this.log.slice(-3000)}`);
      return this.control('await_online_nodes', String(size), '--timeout', '10').then(
        () => true,
        () => false,
      );
    };
    await until(hasJoined, { withinMs: READY_MS, what: `${this.name} to join the cluster` });
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.child?.kill(signal);
    await this.ended;
  }
}

/** Three nodes of RabbitMQ that know nothing of another broker on this machine, not even through its port mapper. */
export class RabbitmqCluster {
  private constructor(
    readonly nodes: RabbitmqNode[],
    private readonly mapper: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(): Promise<RabbitmqCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'cluster-rabbitmq-'));
    writeFileSync(join(folder, '.erlang.cookie'), 'cluster-of-a-test');
    chmodSync(join(folder, '.erlang.cookie'), 0o400);
    const mapperPort = String(await freePort());
    const mapper = spawn(epmd as string, ['-port', mapperPort, '-address', '127.0.0.1'], { stdio: 'ignore' });
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      RABBITMQ_CONF_ENV_FILE: join(folder, 'none'),
      ERL_EPMD_PORT: mapperPort,
      ERL_EPMD_ADDRESS: '127.0.0.1',
      ERL_FLAGS: '-start_epmd false -kernel inet_dist_use_interface {127,0,0,1}',
    };
    const nodes: RabbitmqNode[] = [];
    for (const letter of ['a', 'b', 'c']) {
      // The first one begins, so it looks for nobody.
      const seed = nodes[0]
        ? [
            'cluster_formation.peer_discovery_backend = classic_config',
            `cluster_formation.classic_config.nodes.1 = ${nodes[0].name}`,
          ]
        : [];
      const name = `${letter}${process.pid}@localhost`;
      const [port, distributionPort] = [await freePort(), await freePort()];
      nodes.push(new RabbitmqNode(name, port, distributionPort, join(folder, letter), env, seed));
    }
    const cluster = new RabbitmqCluster(nodes, mapper, folder);
    try {
      const [first, ...others] = nodes as [RabbitmqNode, ...RabbitmqNode[]];
      first.spawn();
      await first.joined(1);
      for (const node of others) node.spawn();
      await first.joined(nodes.length);
      return cluster;
    } catch (error) {
      const logs = nodes.map(({ log }) => log.slice(-3000)).join('\n---\n');
      await cluster.close();
      throw new Error(`${(error as Error).message}\n${logs}`);
    }
  }

  /** All nodes, as a publisher or the service is told them. */
  get url(): string {
    return `amqp://guest:guest@${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  nodeAt(port: number): RabbitmqNode {
    const node = this.nodes.find((one) => one.port === port);
    if (!node) throw new Error(`No node has the port ${port}.`);
    return node;
  }

  /**
   * Waits until a queue has a member at each node, without which it would not outlive every one.
   *
   * @param asked may have been started just before.
   * @returns the node that leads it.
   */
  async whole(queue: string, asked = this.nodes[0] as RabbitmqNode): Promise<RabbitmqNode> {
    const words = ['list_queues', 'name', 'leader', 'online', '--formatter', 'json'];
    const leader = await until(
      async () => {
        const text = await asked.control(...words).catch(() => '[]');
        const queues = JSON.parse(text) as QueueMembers[];
        const found = queues.find(({ name }) => name === queue);
        return found?.online.length === this.nodes.length && found.leader;
      },
      { withinMs: READY_MS, what: `all members of ${queue}` },
    );
    return this.nodes.find(({ name }) => name === leader) as RabbitmqNode;
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.end('SIGKILL')));
    const ended = once(this.mapper, 'exit');
    if (this.mapper.kill('SIGKILL')) await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
