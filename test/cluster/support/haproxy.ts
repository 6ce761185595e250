import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { until } from '../../support/until.js';
import { freePort } from '../../system/support/free-port.js';
import { OwnServer } from '../../system/support/own-server.js';
import { find } from '../../system/support/programs.js';
import { queryOnce } from '../../system/support/query-once.js';
import type { Cluster, DatabaseNode } from './node.js';

/** The files that users are given. */
const CONFIGS = join(import.meta.dirname, '../../../cluster');
const program = find('haproxy');

export const missingForHaproxy: string[] = program ? [] : ['haproxy'];

/** The one address with one writer behind it. */
export class Haproxy extends OwnServer {
  readonly url: string;

  private constructor(
    private readonly port: number,
    private readonly nodes: DatabaseNode[],
  ) {
    super(mkdtempSync(join(tmpdir(), 'cluster-haproxy-')));
    this.url = `mysql://root@127.0.0.1:${port}/cluster`;
  }

  /** @param config the name of a file in `cluster`. */
  static async before({ nodes }: Cluster, config: string): Promise<Haproxy> {
    const haproxy = new Haproxy(await freePort(), nodes);
    const [NODE_A, NODE_B, NODE_C] = nodes.map(({ address }) => address);
    haproxy.run(program as string, ['-db', '-f', join(CONFIGS, config)], {
      LISTEN: `127.0.0.1:${haproxy.port}`,
      STATS_SOCKET: join(haproxy.folder, 'stats'),
      ...{ NODE_A, NODE_B, NODE_C },
    });
    const hasWriter = async () => (await haproxy.hasChecked()) && (await haproxy.writer()) !== null;
    await until(hasWriter, { withinMs: 20_000, what: 'HAProxy to find a writer' });
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

  /** Of the server that a connection leads to, if it takes writes; null if none answers. */
  private async pidFile(): Promise<string | null> {
    const to = { host: '127.0.0.1', port: this.port, user: 'root', connectTimeout: 1000 };
    const sql = 'SELECT IF(@@read_only, NULL, @@pid_file) AS name';
    const [row] = await queryOnce<{ name: string | null }>(to, sql).catch(() => []);
    return row?.name ?? null;
  }

  async close(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
