import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { find, firstOf } from '../../system/support/programs.js';
import { canMakeNetworks, Network } from './network.js';
import { allTogether, type Cluster, DatabaseNode, endAll, withLogs } from './node.js';

const PROVIDERS = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'];
const server = find('mariadbd');
const installer = find('mariadb-install-db');
const provider = firstOf(PROVIDERS);

/** What a Galera cluster needs and this machine has not; empty if it can run here. */
export const missingForGalera: string[] = [
  ...(server && installer ? [] : ['mariadbd']),
  ...(provider ? [] : ['galera-4']),
  ...(find('rsync') ? [] : ['rsync']),
  ...(canMakeNetworks() ? [] : ['ip netns as root']),
];

/** How users are told to start a node. */
const SCRIPT = join(process.cwd(), 'cluster/galera-node.sh');
const CHECKER = readFileSync('cluster/users.sql', 'utf8').replace(/^--.*$/gm, '');
/** Whom the servers run as: rsync, by which they copy, takes nothing from root. */
const USER = 'mysql';

class GaleraNode extends DatabaseNode {
  async members(): Promise<number> {
    const rows = await this.query<{ Variable_name: string; Value: string }>(
      "SHOW STATUS WHERE Variable_name IN ('wsrep_local_state_comment', 'wsrep_cluster_size')",
    ).catch(() => []);
    const shown = new Map(rows.map(({ Variable_name, Value }) => [Variable_name, Value]));
    return shown.get('wsrep_local_state_comment') === 'Synced' ? Number(shown.get('wsrep_cluster_size')) : 0;
  }

  /** @param begins whether it begins the cluster if it has no data yet. */
  start(members: string[], begins: boolean, options: string[]): void {
    const env = { DATA: join(this.folder, 'data'), NODES: members.join(','), BEGINS: begins ? 'yes' : 'no' };
    this.run(SCRIPT, [server as string, ...this.options, ...options], env);
  }

  private get options(): string[] {
    return [
      '--no-defaults',
      `--datadir=${this.folder}/data`,
      `--socket=${this.folder}/socket`,
      `--pid-file=${this.pidFile}`,
      `--bind-address=${this.address}`,
      `--user=${USER}`,
      '--skip-name-resolve',
      '--innodb-log-file-size=32M',
      '--innodb-buffer-pool-size=128M',
      '--innodb-autoinc-lock-mode=2',
      '--binlog-format=ROW',
      '--wsrep-on=ON',
      `--wsrep-provider=${provider}`,
      `--wsrep-provider-options=gmcast.listen_addr=tcp://${this.address}:4567;ist.recv_addr=${this.address}:4568`,
      '--wsrep-cluster-name=test',
      `--wsrep-node-address=${this.address}`,
      `--wsrep-node-name=${this.name}`,
      '--wsrep-sst-method=rsync',
      '--wsrep-slave-threads=2',
    ];
  }
}

/** Three MariaDB servers that replicate with Galera, with its own defaults for finding out who is gone. */
export class Galera implements Cluster {
  readonly nodes: GaleraNode[];
  private readonly folder = mkdtempSync(join(tmpdir(), 'cluster-galera-'));
  private readonly network = Network.open();

  private constructor(private readonly options: string[]) {
    const installed = join(this.folder, 'installed');
    const words = ['--no-defaults', `--datadir=${installed}`, '--auth-root-authentication-method=normal'];
    const more = ['--skip-test-db', '--skip-name-resolve', '--innodb-log-file-size=32M', '--user=root'];
    execFileSync(installer as string, [...words, ...more], { stdio: 'ignore' });
    this.nodes = ['a', 'b', 'c'].map((name) => {
      const folder = join(this.folder, name);
      mkdirSync(folder);
      cpSync(installed, join(folder, 'data'), { recursive: true });
      return new GaleraNode(this.network, folder);
    });
    execFileSync('chown', ['-R', USER, this.folder]);
  }

  /** @param options further options of the servers. */
  static async start(options: string[] = ['--wsrep-sync-wait=7']): Promise<Galera> {
    const galera = new Galera(options);
    try {
      const [first, ...others] = galera.nodes as [GaleraNode, ...GaleraNode[]];
      galera.spawn(first);
      await first.joined(1);
      await first.query(CHECKER);
      await first.query("CREATE USER root@'%'");
      await first.query("GRANT ALL ON *.* TO root@'%'");
      for (const [index, node] of others.entries()) {
        galera.spawn(node);
        await node.joined(index + 2);
      }
      return galera;
    } catch (error) {
      const told = withLogs(error, galera.nodes);
      await galera.close();
      throw told;
    }
  }

  async rejoin(node: GaleraNode): Promise<void> {
    this.spawn(node);
    await this.whole();
  }

  whole(): Promise<void> {
    return allTogether(this.nodes);
  }

  /** They find together by themselves once all are back, as long as they did not stop at the same instant. */
  async startAll(): Promise<void> {
    for (const node of this.nodes) this.spawn(node);
    await this.whole();
  }

  async close(): Promise<void> {
    await endAll(this.nodes);
    this.network.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private spawn(node: GaleraNode): void {
    const members = this.nodes.map(({ address }) => address);
    node.start(members, node === this.nodes[0], this.options);
  }
}
