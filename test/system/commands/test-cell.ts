import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import type { TestDatabaseKind } from '../../support/databases.js';
import { type DatabaseFixture, useDatabase } from '../../support/fixture.js';
import type { TestService } from '../../support/service.js';

const COMMANDS = join(import.meta.dirname, '../../../dist/service/bundle');

/** How a command ended. */
export interface Ended {
  code: number;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export const newTransferKey = () => randomBytes(32).toString('base64');

/** A folder for the files of one test, and the transfer key that its commands get. */
export interface Transfer {
  key: string;
  file(name: string): string;
}

export function useTransfer(): Transfer {
  let folder: string;
  const transfer = { key: '', file: (name: string) => join(folder, name) };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webhook-move-'));
    transfer.key = newTransferKey();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return transfer;
}

/** A cell with a database and encryption keys of its own. */
export class TestCell {
  private running: TestService | null = null;
  private readonly env: Record<string, string>;

  constructor(
    private readonly database: DatabaseFixture,
    readonly kind: TestDatabaseKind,
    private readonly transfer: Transfer,
    env: Record<string, string>,
  ) {
    this.env = { ENCRYPTION_KEYS: `${kind.name}:${randomBytes(32).toString('base64')}`, ...env };
  }

  get url(): string {
    return this.database.url;
  }

  get service(): TestService {
    if (!this.running) throw new Error('The service of this cell does not run');
    return this.running;
  }

  async start(): Promise<void> {
    this.running = await this.database.start(this.env);
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    this.running = null;
  }

  call: TestService['call'] = (...call) => this.service.call(...call);

  /** Runs a command as its npm script does. On SQLite the service is stopped for it. */
  command(name: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
    return this.commands(() => this.commandBeside(name, args, env));
  }

  /** On SQLite, stops the service while `work` runs its commands. */
  async commands<T>(work: () => Promise<T>): Promise<T> {
    const stops = this.running !== null && this.kind.name === 'SQLite';
    if (stops) await this.stop();
    const result = await work();
    if (stops) await this.start();
    return result;
  }

  /** Runs a command beside the running service. */
  commandBeside(name: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
    const options = {
      cwd: this.transfer.file('.'),
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        DATABASE_URL: this.url,
        TRANSFER_KEY: this.transfer.key,
        ...this.env,
        ...env,
      },
    };
    return new Promise((resolve) => {
      const run = [join(COMMANDS, `${name}.cjs`), ...args];
      execFile(process.execPath, run, options, (error, stdout, stderr) => {
        const { code, signal } = error ?? {};
        resolve({ code: Number(code ?? 0), signal: signal ?? null, stdout, stderr });
      });
    });
  }

  export(user: string, path: string, env: Record<string, string> = {}): Promise<Ended> {
    return this.command('user-export', ['--user', user, '--out', path], env);
  }

  import(path: string, env: Record<string, string> = {}): Promise<Ended> {
    return this.command('user-import', [path], env);
  }

  status(user: string): Promise<Ended> {
    return this.commandBeside('user-export', ['--user', user, '--status']);
  }

  finish(user: string, receipt: string, env: Record<string, string> = {}): Promise<Ended> {
    return this.command('user-export', ['--user', user, '--finish', '--receipt', receipt], env);
  }

  cancel(user: string): Promise<Ended> {
    return this.command('user-export', ['--user', user, '--cancel']);
  }

  /** The rows of a table that are a user's. */
  rows(table: string, user: string): Promise<Record<string, unknown>[]> {
    return this.query(`SELECT * FROM ${table} WHERE user_id = ?`, [user]);
  }

  /** All rows of a user that move. */
  stored(user: string): Promise<Record<string, unknown>[][]> {
    const tables = ['webhook', 'webhook_event', 'webhook_api_key'];
    return Promise.all(tables.map((table) => this.rows(table, user)));
  }

  async query(sql: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> {
    const dataSource = await createDataSource(dataSourceOptions(this.url)).initialize();
    try {
      return await dataSource.query(sql, parameters);
    } finally {
      await dataSource.destroy();
    }
  }
}

/** A running cell for each test. */
export function useCell(
  kind: TestDatabaseKind,
  transfer: Transfer,
  env: Record<string, string> = {},
): { readonly cell: TestCell } {
  const database = useDatabase(kind, 'test', 'migrated');
  let cell: TestCell | undefined;
  beforeEach(async () => {
    cell = new TestCell(database, kind, transfer, env);
    await cell.start();
  });
  return {
    get cell() {
      if (!cell) throw new Error('The cell is there only in hooks and tests');
      return cell;
    },
  };
}

/** What {@link TestCell.stored} answers for a user of whom there is nothing. */
export const NOTHING = [[], [], []];

/** The receipt that `user:import` has printed. */
export const receiptOf = ({ stdout }: Ended): string => /^Receipt: (\S+)$/m.exec(stdout)?.[1] ?? '';

/** How a command ends that refuses, and prints why. */
export const refused = (reason: string | RegExp) => ({
  code: 1,
  stdout: '',
  stderr: typeof reason === 'string' ? expect.stringContaining(reason) : expect.stringMatching(reason),
});
