import type { EntityManager } from 'typeorm';
import type { Database } from '../../../src/store/database.js';
import type { Script } from '../../../src/store/sqlite/script.js';
import type { TestService } from '../../support/service.js';

type Service = Pick<TestService, 'query'>;

export async function insert({ query }: Service, table: string, row: object): Promise<void> {
  const columns = Object.keys(row);
  const values = columns.map(() => '?').join(', ');
  await query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`, Object.values(row));
}

/** Has the others take a process for alive. */
export const enlist = (service: Service, id: string) =>
  insert(service, 'webhook_instance', { id, started_at: 0, heartbeat_at: 0 });

/** Has the others take a process for dead. */
export const strike = ({ query }: Service, id: string) =>
  query('DELETE FROM webhook_instance WHERE id = ?', [id]);

/** The database of a process that may die at any of its statements. */
export class MortalDatabase {
  /** It dies at its next statement but so many; null if it lives. */
  statementsLeft: number | null = null;
  readonly database: Database;

  constructor(database: Database) {
    this.database = Object.assign(Object.create(database), {
      query: <T>(sql: string, parameters?: unknown[], manager?: EntityManager) => {
        this.mayDie();
        return database.query<T>(sql, parameters, manager);
      },
      script: async (script: Script) => {
        this.mayDie();
        const answer = await database.script(script);
        // It is committed, and the process does not get to know.
        this.mayDie();
        return answer;
      },
    });
  }

  private mayDie(): void {
    if (this.statementsLeft !== null && this.statementsLeft-- <= 0) throw new Error('died');
  }
}
