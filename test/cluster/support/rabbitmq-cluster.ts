import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../support/until.js';
import { freePort } from '../../system/support/free-port.js';
import { OwnServer, succeeds } from '../../system/support/own-server.js';
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

export class RabbitmqNode extends OwnServer {
  constructor(
    readonly name: string,
    readonly port: number,
    private readonly distributionPort: number,
    folder: string,
    private readonly env: Record<string, string>,
    config: string[],
  ) {
    super(folder);
    mkdirSync(folder);
    writeFileSync(join(folder, 'rabbitmq.conf'), config.map((line) => `${line}\n`).join(''));
    writeFileSync(join(folder, 'plugins'), '[].\n');
  }

  spawn(): void {
    this.run(server as string, [], {
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
      if (this.pid === 0) throw new Error(`${this.name} has ended:\n${this.log.slice(-3000)}`);
      return succeeds(this.control('await_online_nodes', String(size), '--timeout', '10'));
    };
    await until(hasJoined, { withinMs: READY_MS, what: `${this.name} to join the cluster` });
  }
}

/** Three nodes of RabbitMQ that know nothing of another broker on this machine, not even through its port mapper. */
export class RabbitmqCluster {
  private constructor(
    readonly nodes: RabbitmqNode[],
    private readonly mapper: OwnServer,
    private readonly folder: string,
  ) {}

  static async start(): Promise<RabbitmqCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'cluster-rabbitmq-'));
    writeFileSync(join(folder, '.erlang.cookie'), 'cluster-of-a-test');
    chmodSync(join(folder, '.erlang.cookie'), 0o400);
    const mapperPort = String(await freePort());
    const mapper = new OwnServer(folder);
    mapper.run(epmd as string, ['-port', mapperPort, '-address', '127.0.0.1'], process.env);
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

  /** All nodes, as the service is told them. */
  get url(): string {
    return `amqp://guest:guest@${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  /** Waits until a queue has a member at each node, without which it would not outlive every one. */
  async whole(queue: string, asked: RabbitmqNode): Promise<void> {
    const isWhole = async () => {
      const words = ['list_queues', 'name', 'online', '--formatter', 'json'];
      const queues: { name: string; online: string[] }[] = JSON.parse(
        await asked.control(...words).catch(() => '[]'),
      );
      return queues.find(({ name }) => name === queue)?.online.length === this.nodes.length;
    };
    await until(isWhole, { withinMs: READY_MS, what: `all members of ${queue}` });
  }

  async close(): Promise<void> {
    await Promise.all([...this.nodes, this.mapper].map((one) => one.end('SIGKILL')));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
