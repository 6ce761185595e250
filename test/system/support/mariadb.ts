import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/until.js';
import { freePort } from './free-port.js';
import { OwnServer, succeeds } from './own-server.js';
import { find } from './programs.js';
import { queryOnce } from './query-once.js';

export const server = find('mariadbd');
const installer = find('mariadb-install-db');

/** Whether the test can start its own server on this machine. */
export const hasMariadb = server !== null && installer !== null;

/** Fills the folder of a server's data. */
export function install(data: string): void {
  const words = ['--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve'];
  const as = ['--innodb-log-file-size=32M', `--user=${userInfo().username}`];
  execFileSync(installer as string, ['--no-defaults', `--datadir=${data}`, ...words, ...as], {
    stdio: 'ignore',
  });
}

/** Where a server of MariaDB or MySQL has its files, and listens. */
export const placeOf = (folder: string, address = '127.0.0.1') => [
  '--no-defaults',
  `--datadir=${folder}/data`,
  `--socket=${folder}/socket`,
  `--pid-file=${folder}/pid`,
  `--bind-address=${address}`,
  '--innodb-buffer-pool-size=128M',
];

/** A MariaDB server for one test alone, with one database. */
export class PrivateMariadb extends OwnServer {
  readonly url: string;

  private constructor(
    private readonly port: number,
    private readonly env: Record<string, string>,
    private readonly options: string[],
  ) {
    super(mkdtempSync(join(tmpdir(), 'torture-mariadb-')));
    this.url = `mysql://root@127.0.0.1:${port}/torture`;
  }

  /**
   * @param env environment of the server process, such as its time zone.
   * @param options further options of the server, such as `--ssl-cert=PATH`.
   */
  static async start(env: Record<string, string> = {}, options: string[] = []): Promise<PrivateMariadb> {
    const mariadb = new PrivateMariadb(await freePort(), env, options);
    install(`${mariadb.folder}/data`);
    await mariadb.start();
    await mariadb.query('CREATE DATABASE torture', '');
    return mariadb;
  }

  /** Resolves when the server answers. */
  async start(): Promise<void> {
    const words = [`--port=${this.port}`, `--user=${userInfo().username}`, '--innodb-log-file-size=32M'];
    const env = { ...process.env, ...this.env };
    this.run(server as string, [...placeOf(this.folder), ...words, ...this.options], env);
    // From a table: a node of Galera answers anything else before it takes part.
    const answers = () => succeeds(this.query('SELECT COUNT(*) FROM mysql.user', ''));
    await until(answers, { what: 'a MariaDB server' });
  }

  query<T>(sql: string, database = 'torture', user = 'root'): Promise<T[]> {
    return queryOnce({ host: '127.0.0.1', port: this.port, user, connectTimeout: 2000, database }, sql);
  }

  async close(): Promise<void> {
    this.signal('SIGCONT');
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
