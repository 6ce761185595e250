import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/until.js';
import { freePort } from './free-port.js';
import { find } from './programs.js';
import { queryOnce } from './query-once.js';

const server = find('mariadbd');
const installer = find('mariadb-install-db');

/** Whether the test can start its own server on this machine. */
export const hasMariadb = server !== null && installer !== null;

/** A MariaDB server for one test alone, with one database. */
export class PrivateMariadb {
  readonly url: string;
  private readonly folder = mkdtempSync(join(tmpdir(), 'torture-mariadb-'));
  private child: ChildProcess | null = null;
  private ended: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly port: number,
    private readonly env: Record<string, string>,
    private readonly options: string[],
  ) {
    this.url = `mysql://root@127.0.0.1:${port}/torture`;
  }

  /**
   * @param env environment of the server process, such as its time zone.
   * @param options further options of the server, such as `--ssl-cert=PATH`.
   */
  static async start(env: Record<string, string> = {}, options: string[] = []): Promise<PrivateMariadb> {
    const mariadb = new PrivateMariadb(await freePort(), env, options);
    mariadb.install();
    await mariadb.start();
    await mariadb.query('CREATE DATABASE torture', '');
    return mariadb;
  }

  /** Resolves when the server answers. */
  async start(): Promise<void> {
    const child = spawn(
      server as string,
      [
        '--no-defaults',
        `--datadir=${this.folder}/data`,
        `--socket=${this.folder}/socket`,
        `--pid-file=${this.folder}/pid`,
        `--port=${this.port}`,
        '--bind-address=127.0.0.1',
        `--user=${userInfo().username}`,
        '--innodb-log-file-size=32M',
        '--innodb-buffer-pool-size=128M',
        ...this.options,
      ],
      { stdio: 'ignore', env: { ...process.env, ...this.env } },
    );
    this.child = child;
    this.ended = new Promise((resolve) => child.once('exit', resolve));
    // From a table: a node of Galera answers anything else before it takes part.
    const answers = () =>
      this.query('SELECT COUNT(*) FROM mysql.user', '').then(
        () => true,
        () => false,
      );
    await until(answers, { withinMs: 60_000, what: 'a MariaDB server' });
  }

  /** Of the server process; 0 while none runs. */
  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** @param signal SIGTERM for a graceful stop, SIGKILL for a crash. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.signal(signal);
    await this.ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  query<T>(sql: string, database = 'torture', user = 'root'): Promise<T[]> {
    return queryOnce({ host: '127.0.0.1', port: this.port, user, connectTimeout: 2000, database }, sql);
  }

  async close(): Promise<void> {
    this.signal('SIGCONT');
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  private install(): void {
    execFileSync(
      installer as string,
      [
        '--no-defaults',
        `--datadir=${this.folder}/data`,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
        '--innodb-log-file-size=32M',
        `--user=${userInfo().username}`,
      ],
      { stdio: 'ignore' },
    );
  }
}
