import { isDemoted, isUnknownSyntax } from '../../platform/database-error.js';
import type { Database } from '../database.js';

/** What a MySQL or MariaDB server says of itself. Empty or null is what it did not say. */
export interface ServerFacts {
  /** `SHOW VARIABLES`, as the session has them. */
  variables: ReadonlyMap<string, string>;
  /** `SHOW GLOBAL STATUS`. */
  status: ReadonlyMap<string, string>;
  /** Whether it refuses a write because it is read-only, or no part of its cluster. */
  refusesWrites: boolean | null;
  /** Whether it knows JSON_TABLE. */
  hasJsonTable: boolean | null;
}

const VARIABLES = [
  'version',
  'read_only',
  'super_read_only',
  'innodb_read_only',
  'innodb_flush_log_at_trx_commit',
  'log_bin',
  'sync_binlog',
  'sql_mode',
  'max_allowed_packet',
  'character_set_client',
  'character_set_connection',
  'character_set_results',
  'wsrep_on',
  'wsrep_provider',
  'wsrep_sync_wait',
];
const STATUS = ['wsrep_ready', 'wsrep_cluster_status'];
/** Changes no row, and is refused all the same. */
const WRITE = 'UPDATE webhook_lock SET uses = uses WHERE number < 0';
const JSON_TABLE = `SELECT COUNT(*) AS count FROM JSON_TABLE('[1]', '$[*]' COLUMNS (value INT PATH '$')) AS list`;

/** Never rejects: what cannot be read, such as for want of rights, is left out. */
export async function readServerFacts(database: Database): Promise<ServerFacts> {
  return {
    variables: await shown(database, 'SHOW VARIABLES', VARIABLES),
    status: await shown(database, 'SHOW GLOBAL STATUS', STATUS),
    refusesWrites: await answers(
      database.transaction((manager) => database.query(WRITE, [], manager)).then(() => false),
      (error) => (isDemoted(error) ? true : null),
    ),
    hasJsonTable: await answers(
      database.query(JSON_TABLE).then(() => true),
      (error) => (isUnknownSyntax(error) ? false : null),
    ),
  };
}

const answers = (asked: Promise<boolean>, otherwise: (error: unknown) => boolean | null) =>
  asked.catch(otherwise);

async function shown(database: Database, statement: string, names: string[]): Promise<Map<string, string>> {
  try {
    const rows = await database.query<{ Variable_name: string; Value: unknown }[]>(
      `${statement} WHERE Variable_name IN (?)`,
      [names],
    );
    return new Map(rows.map(({ Variable_name, Value }) => [Variable_name.toLowerCase(), String(Value)]));
  } catch {
    return new Map();
  }
}
