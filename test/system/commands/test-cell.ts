import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { expectProblem } from '../../support/api.js';
import type { TestDatabaseKind } from '../../support/databases.js';
import { type DatabaseFixture, useDatabase } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { type Ended, runCommand } from '../support/command.js';

export const newTransferKey = () => randomBytes(32).toString('base64');

/** What the commands of one test are about. */
export interface Move {
  /** Who moves. */
  user: string;
  /** The transfer key that the commands get. */
  key: string;
  /** The path of a file in the test's own folder. */
  file(name: string): string;
  /** The file that is written and read unless another one is named. */
  readonly path: string;
}

/** A cell with a database and encryption keys of its own. */
class TestCell {
  private running: TestService | null = null;
  private readonly env: Record<string, string>;

  constructor(
    private readonly database: DatabaseFixture,
    private readonly kind: TestDatabaseKind,
    private readonly move: Move,
    env: Record<string, string>,
  ) {
    this.env = { ENCRYPTION_KEYS: `${kind.name}:${randomBytes(32).toString('base64')}`, ...env };
  }

  get service(): TestService {
    if (!this.running) throw new Error('The service of this cell does not run');
    return this.running;
  }

  async start(): Promise<void> {
    this.running = await this.database.start(this.env);
  }

  call: TestService['call'] = (...call) => this.service.call(...call);

  /** Runs a command as its npm script does. On SQLite the service is stopped for it. */
  private async command(name: string, args: string[], env?: Record<string, string>): Promise<Ended> {
    const stops = this.kind.name === 'SQLite';
    if (stops) await this.service.stop();
    const ended = await this.commandBeside(name, args, env);
    if (stops) await this.start();
    return ended;
  }

  /** Runs a command beside the running service. */
  commandBeside(name: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
    const own = { DATABASE_URL: this.database.url, TRANSFER_KEY: this.move.key, ...this.env };
    return runCommand(name, args, { ...own, ...env }, this.move.file('.'));
  }

  export(env: Record<string, string> = {}, path = this.move.path): Promise<Ended> {
    return this.command('user-export', ['--user', this.move.user, '--out', path], env);
  }

  import(env: Record<string, string> = {}, path = this.move.path): Promise<Ended> {
    return this.command('user-import', [path], env);
  }

  status(): Promise<Ended> {
    return this.commandBeside('user-export', ['--user', this.move.user, '--status']);
  }

  finish(receipt: string, env: Record<string, string> = {}): Promise<Ended> {
    return this.command('user-export', ['--user', this.move.user, '--finish', '--receipt', receipt], env);
  }

  cancel(): Promise<Ended> {
    return this.command('user-export', ['--user', this.move.user, '--cancel']);
  }

  /** The rows of a table that are the user's. */
  rows(table: string): Promise<Record<string, unknown>[]> {
    return this.service.query(`SELECT * FROM ${table} WHERE user_id = ?`, [this.move.user]);
  }

  /** All rows of the user that move. */
  stored(): Promise<Record<string, unknown>[][]> {
    return Promise.all(['webhook', 'webhook_event', 'webhook_api_key'].map((table) => this.rows(table)));
  }

  /** Expects that a call is refused as the user moves, or has moved. @returns the answer's body. */
  async expectMoved(...call: Parameters<TestService['call']>) {
    const answer = await this.call(...call);
    expectProblem(answer, 409, 'user_moved');
    return answer.body;
  }
}

/** Two running cells for each test, and a new user who moves from one to the other. */
export function useMove(from: TestDatabaseKind, to: TestDatabaseKind, env: Record<string, string> = {}) {
  let folder: string;
  const move: Move = {
    user: '',
    key: '',
    file: (name) => join(folder, name),
    get path() {
      return move.file('user.json');
    },
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webhook-move-'));
    Object.assign(move, { user: newUser(), key: newTransferKey() });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const [old, fresh] = [from, to].map((kind) => {
    const cell = new TestCell(useDatabase(kind, 'test', 'migrated'), kind, move, env);
    beforeEach(() => cell.start());
    return cell;
  }) as [TestCell, TestCell];
  return { move, old, fresh };
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
