import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../support/until.js';
import { placeOf } from '../../system/support/mariadb.js';
import { succeeds } from '../../system/support/own-server.js';
import { find } from '../../system/support/programs.js';
import { canMakeNetworks } from './network.js';
import { Cluster, DatabaseNode } from './node.js';

/**
 * What a member has: executed, or received and not yet executed when it ended. What only some had received would
 * otherwise be executed there all the same, under numbers that the new group gives to other transactions.
 */
const HAS = `SELECT CONCAT_WS(',', @@gtid_executed,
  (SELECT NULLIF(received_transaction_set, '') FROM performance_schema.replication_connection_status
   WHERE channel_name = 'group_replication_applier')) AS gtids`;

const GROUP = '6d1f6c2e-5d0b-4d1c-8f55-3a3a3a3a3a3a';

/** MariaDB has a program of this name, too. */
const isMysql = (path: string) => !/MariaDB/.test(execFileSync(path, ['--version']).toString());

const named = process.env.MYSQLD ?? find('mysqld');
const server = named && isMysql(named) ? named : null;

/** What Group Replication needs and this machine has not; empty if it can run here. */
export const missingForGroupReplication: string[] = [
  ...(server ? [] : ['mysqld of MySQL (MYSQLD=PATH)']),
  ...(canMakeNetworks() ? [] : ['ip netns as root']),
];

class GroupMember extends DatabaseNode {
  async members(): Promise<number> {
    const [row] = await this.query<{ members: string; own: string }>(
      `SELECT SUM(MEMBER_STATE = 'ONLINE') AS members, SUM(MEMBER_ID = @@server_uuid AND MEMBER_STATE = 'ONLINE') AS own
       FROM performance_schema.replication_group_members`,
    ).catch(() => []);
    return row?.own === '1' ? Number(row.members) : 0;
  }

  /** @param members addresses of all nodes. */
  start(members: string[], startsOnBoot: boolean): void {
    const seeds = members.map((address) => `${address}:33061`).join(',');
    this.runInside(server as string, [
      ...placeOf(this.folder, this.address),
      '--user=root',
      '--skip-name-resolve',
      '--mysqlx=OFF',
      // Until it is in the group: HAProxy may still take a node for the writer that was back within a second.
      '--super-read-only=ON',
      '--innodb-redo-log-capacity=64M',
      `--server-id=${this.address.split('.').at(-1)}`,
      `--report-host=${this.address}`,
      '--gtid-mode=ON',
      '--enforce-gtid-consistency=ON',
      '--plugin-load-add=group_replication.so',
      `--loose-group-replication-group-name=${GROUP}`,
      `--loose-group-replication-local-address=${this.address}:33061`,
      `--loose-group-replication-group-seeds=${seeds}`,
      `--loose-group-replication-start-on-boot=${startsOnBoot ? 'ON' : 'OFF'}`,
      '--loose-group-replication-recovery-get-public-key=ON',
    ]);
  }

  async answers(): Promise<void> {
    const answer = () => succeeds(this.query('SELECT 1'));
    await until(answer, { withinMs: 60_000, what: `${this.name} to answer` });
  }

  async beginGroup(): Promise<void> {
    await this.query('SET GLOBAL group_replication_bootstrap_group = ON');
    await this.query('START GROUP_REPLICATION');
    await this.query('SET GLOBAL group_replication_bootstrap_group = OFF');
    await this.joined(1);
  }
}

function install(data: string): void {
  const users = `${data}.users.sql`;
  // In the files that all nodes begin with, so that they do not differ.
  writeFileSync(users, "CREATE USER root@'%';\nGRANT ALL ON *.* TO root@'%';\nCREATE USER checker@'%';\n");
  const words = ['--no-defaults', '--initialize-insecure', `--datadir=${data}`, `--init-file=${users}`];
  execFileSync(server as string, [...words, '--user=root'], { stdio: 'ignore' });
  // Its identity; each node makes one of its own.
  rmSync(join(data, 'auto.cnf'), { force: true });
}

/** Three MySQL servers in Group Replication with one primary, with its own defaults for finding out who is gone. */
export class GroupReplication extends Cluster<GroupMember> {
  static start(): Promise<GroupReplication> {
    return new GroupReplication().begun();
  }

  private constructor() {
    super(install, GroupMember);
  }

  /** Begins the group anew with the node that has most. */
  async startAll(): Promise<void> {
    const had = new Map<GroupMember, string>();
    for (const node of this.nodes) {
      node.start(this.addresses, false);
      await node.answers();
      const [row] = await node.query<{ gtids: string }>(HAS);
      had.set(node, row?.gtids ?? '');
    }
    const first = await this.mostAdvanced(had);
    await first.beginGroup();
    await this.join(this.nodes.filter((one) => one !== first));
  }

  protected async begin(first: GroupMember, others: GroupMember[]): Promise<void> {
    for (const node of this.nodes) {
      node.start(this.addresses, false);
      await node.answers();
      await node.query(
        "CHANGE REPLICATION SOURCE TO SOURCE_USER = 'root' FOR CHANNEL 'group_replication_recovery'",
      );
    }
    await first.beginGroup();
    await first.query("GRANT SELECT ON performance_schema.replication_group_members TO checker@'%'");
    await this.join(others);
  }

  protected spawn(node: GroupMember): void {
    node.start(this.addresses, true);
  }

  private async join(others: GroupMember[]): Promise<void> {
    for (const [index, node] of others.entries()) {
      await node.query('START GROUP_REPLICATION').catch((error) => {
        throw this.withLogs(error);
      });
      await node.joined(index + 2);
    }
  }

  private async mostAdvanced(had: Map<GroupMember, string>): Promise<GroupMember> {
    for (const [node, gtids] of had) {
      const others = [...had.values()].map((other) => `GTID_SUBSET('${other}', '${gtids}')`);
      const [row] = await node.query<{ hasAll: number }>(`SELECT ${others.join(' AND ')} AS hasAll`);
      if (row?.hasAll === 1) return node;
    }
    throw new Error(`No node has all that was committed: ${[...had.values()].join(' | ')}`);
  }
}
