import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasMariadb, install, placeOf, server } from '../../system/support/mariadb.js';
import { find, firstOf } from '../../system/support/programs.js';
import { canMakeNetworks } from './network.js';
import { Cluster, DatabaseNode } from './node.js';

const provider = firstOf(['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so']);

/** What a Galera cluster needs and this machine has not; empty if it can run here. */
export const missingForGalera: string[] = [
  ...(hasMariadb ? [] : ['mariadbd']),
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
  start(members: string[], begins: boolean): void {
    const env = { DATA: join(this.folder, 'data'), NODES: members.join(','), BEGINS: begins ? 'yes' : 'no' };
    const words = [
      `--user=${USER}`,
      '--skip-name-resolve',
      '--innodb-log-file-size=32M',
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
      '--wsrep-sync-wait=7',
    ];
    this.runInside(SCRIPT, [server as string, ...placeOf(this.folder, this.address), ...words], env);
  }
}

/** Three MariaDB servers that replicate with Galera, with its own defaults for finding out who is gone. */
export class Galera extends Cluster<GaleraNode> {
  static start(): Promise<Galera> {
    return new Galera().begun();
  }

  private constructor() {
    super(install, GaleraNode);
    execFileSync('chown', ['-R', USER, this.folder]);
  }

  /** They find together by themselves once all are back, as long as they did not stop at the same instant. */
  async startAll(): Promise<void> {
    for (const node of this.nodes) this.spawn(node);
    await this.whole();
  }

  protected async begin(first: GaleraNode, others: GaleraNode[]): Promise<void> {
    this.spawn(first);
    await first.joined(1);
    await first.query(CHECKER);
    await first.query("CREATE USER root@'%'");
    await first.query("GRANT ALL ON *.* TO root@'%'");
    for (const [index, node] of others.entries()) {
      this.spawn(node);
      await node.joined(index + 2);
    }
  }

  protected spawn(node: GaleraNode): void {
    node.start(this.addresses, node === this.nodes[0]);
  }
}
