import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { createConnection } from 'mysql2/promise';
import { until } from '../../support/until.js';
import { freePort } from '../../system/support/free-port.js';
import { find } from '../../system/support/programs.js';
import type { Cluster, DatabaseNode } from './node.js';

/** The files that users are given. */
const CONFIGS = join(import.meta.dirname, '../../../cluster');
const program = find('haproxy');

export const missingForHaproxy: string[] = program ? [] : ['haproxy'];

/** The one address with one writer behind it. */
export class Haproxy {
  readonly url: string;

  private constructor(
    private readonly port: number,
    private readonly folder: string,
    private readonly child: ChildProcess,
    private readonly nodes: DatabaseNode[],
  ) {
    this.url = `mysql://root@127.0.0.1:${port}/cluster`;
  }

  /** @param config the name of a file in `cluster`. */
  static async before({ nodes }: Cluster, config: string): Promise<Haproxy> {
    const [a, b, c] = nodes as [DatabaseNode, DatabaseNode, DatabaseNode];
    const folder = mkdtempSync(join(tmpdir(), 'cluster-haproxy-'));
    const port = await freePort();
    const child = spawn(program as string, ['-db', '-f', join(CONFIGS, config)], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        LISTEN: `127.0.0.1:${port}`,
        STATS_SOCKET: join(folder, 'stats'),
        NODE_A: a.address,
        NODE_B: b.address,
        NODE_C: c.address,
      },
    });
    const haproxy = new Haproxy(port, folder, child, nodes);
    await until(async () => (await haproxy.hasChecked()) && (await haproxy.writer()) !== null, {
      withinMs: 20_000,
      what: 'HAProxy to find a writer',
    });
    return haproxy;
  }

  /** The node that statements go to at the moment; null if there is none. */
  async writer(): Promise<DatabaseNode | null> {
    const file = await this.pidFile();
    return this.nodes.find(({ pidFile }) => pidFile === file) ?? null;
  }

  /** How many nodes so many connections lead to that are opened at once. Those that are not answered in time do not count. */
  async spread(connections: number): Promise<number> {
    const files = await Promise.all(Array.from({ length: connections }, () => this.pidFile()));
    return new Set(files.filter((file) => file !== null)).size;
  }

  /** Waits until it would send to any of the nodes. */
  async allUp(): Promise<void> {
    const areUp = async () => (await this.states()).every(([status]) => status === 'UP');
    await until(areUp, { withinMs: 20_000, what: 'HAProxy to find all nodes up' });
  }

  /** Whether it knows of all nodes if they are up: until then it takes them for it. */
  private async hasChecked(): Promise<boolean> {
    const states = await this.states();
    const isChecked = ([status, check]: [string, string]) =>
      /^(UP|DOWN)$/.test(status) && !/^(INI)?$/.test(check);
    return states.length === 3 && states.every(isChecked);
  }

  /** Of each node, whether it is up, and the answer to the last check. */
  private async states(): Promise<[string, string][]> {
    const text = await this.stats().catch(() => '');
    const rows = text.split('\n').map((line) => line.split(','));
    const column = (name: string) => rows[0]?.indexOf(name) ?? -1;
    return rows
      .filter(([proxy, server]) => proxy === 'database' && /^[abc]$/.test(server ?? ''))
      .map((row) => [row[column('status')] ?? '', row[column('check_status')] ?? '']);
  }

  private stats(): Promise<string> {
    const socket = connect(join(this.folder, 'stats'));
    socket.end('show stat\n');
    return textOf(socket);
  }

  private async pidFile(): Promise<string | null> {
    const connection = await createConnection({
      host: '127.0.0.1',
      port: this.port,
      user: 'root',
      connectTimeout: 1000,
    }).catch(() => null);
    if (!connection) return null;
    try {
      const [rows] = await connection.query('SELECT IF(@@read_only, NULL, @@pid_file) AS name');
      return (rows as { name: string }[])[0]?.name ?? null;
    } catch {
      return null;
    } finally {
      connection.destroy();
    }
  }

  async close(): Promise<void> {
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
