import type { ServerFacts } from './server-facts.js';

/** What is wrong with a server. Each text goes on after "the database server", and names the way out. */
export interface ServerJudgement {
  /** Why the service cannot work on it. */
  refusals: string[];
  /** What may be lost or go wrong there. */
  warnings: string[];
}

/** The first versions that have all that is needed. */
const OLDEST = { MariaDB: [10, 6, 0], MySQL: [8, 0, 16] };
/** In bytes: what the largest notification takes, which is written in hexadecimal digits, and more. */
const ENOUGH_AT_A_TIME = 4 * 1024 * 1024;
/** The bits of wsrep_sync_wait for reads, updates and inserts. */
const SYNC_WAIT = 7;

/** What they are in on their way to the server and back; the last is empty if they come as they are stored. */
const TEXTS = ['character_set_client', 'character_set_connection', 'character_set_results'];

const PRIMARY = 'let the URL of the database lead to the primary';

type Check = (facts: ServerFacts) => string | false;

const REFUSALS: Check[] = [
  ({ hasJsonTable }) =>
    hasJsonTable === false &&
    'does not know JSON_TABLE, in which rows are passed to it, like Vitess, TiDB or a version before MySQL 8.0.4 and MariaDB 10.6. Use MySQL from 8.0.16 or MariaDB from 10.6.',
  (facts) =>
    hasMode(facts, 'NO_BACKSLASH_ESCAPES') &&
    'has NO_BACKSLASH_ESCAPES in its sql_mode, with which the driver cannot quote a text safely. Remove that.',
  (facts) =>
    hasMode(facts, 'PAD_CHAR_TO_FULL_LENGTH') &&
    'has PAD_CHAR_TO_FULL_LENGTH in its sql_mode, which changes what is read. Remove that.',
  ({ variables }) => {
    const texts = TEXTS.map((name) => [name, variables.get(name)] as const);
    const [name, charset] = texts.find(([, set]) => set && set.toLowerCase() !== 'utf8mb4') ?? [];
    return (
      charset !== undefined &&
      `takes or answers texts in ${charset} (${name}), so names and what receivers answered would be damaged without an error. Set charset: 'utf8mb4' in the options of the data source, and no skip-character-set-client-handshake on the server.`
    );
  },
];

const WARNINGS: Check[] = [
  ({ variables }) => {
    const version = variables.get('version') ?? '';
    const name = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL';
    return (
      isOlder(version, OLDEST[name]) &&
      `has a version, ${version}, that is not supported. Use ${name} from ${OLDEST[name].join('.')}.`
    );
  },
  (facts) => {
    const { variables, refusesWrites } = facts;
    const on = ['read_only', 'super_read_only', 'innodb_read_only'].filter((name) => isOn(variables, name));
    // Otherwise it is its cluster that it has lost, which is told below.
    if (refusesWrites && !isOutOfCluster(facts))
      return `takes no writes${on.length > 0 ? ` (${on.join(', ')})` : ''}, like a replica: nothing is accepted or delivered. Rather ${PRIMARY}, or make this server writable.`;
    return (
      on.length > 0 &&
      refusesWrites === false &&
      `is read-only (${on.join(', ')}), and takes writes only because the user has the right to override that. If it is a replica, what is written here is missing on the primary, and may stop the replication: ${PRIMARY}, as a user without SUPER, READ ONLY ADMIN or CONNECTION_ADMIN.`
    );
  },
  (facts) =>
    isOutOfCluster(facts) &&
    `is a Galera node that is no part of a working cluster (wsrep_ready ${facts.status.get('wsrep_ready')}, wsrep_cluster_status ${facts.status.get('wsrep_cluster_status')}): restore the quorum, or let the URL of the database lead to a node that is synced.`,
  ({ variables }) => {
    const wait = Number(variables.get('wsrep_sync_wait') ?? SYNC_WAIT);
    return (
      isGalera(variables) &&
      (wait & SYNC_WAIT) !== SYNC_WAIT &&
      `is a Galera node whose reads may miss what another node has committed, as after a failover (wsrep_sync_wait is ${wait}). Set wsrep_sync_wait = ${SYNC_WAIT} on each node.`
    );
  },
  ({ variables }) => {
    const flush = variables.get('innodb_flush_log_at_trx_commit');
    return (
      flush !== undefined &&
      flush !== '1' &&
      `loses the notifications that it accepted in the last second when its machine crashes (innodb_flush_log_at_trx_commit is ${flush}). Set it to 1.`
    );
  },
  ({ variables }) => {
    const sync = variables.get('sync_binlog');
    return (
      isOn(variables, 'log_bin') &&
      sync !== undefined &&
      sync !== '1' &&
      `may lose accepted notifications when its machine crashes, or its replicas may miss them, because a commit does not wait for the binary log (sync_binlog is ${sync}). Set it to 1.`
    );
  },
  ({ variables }) => {
    const bytes = Number(variables.get('max_allowed_packet'));
    return (
      bytes > 0 &&
      bytes < ENOUGH_AT_A_TIME &&
      `takes ${bytes} bytes at a time (max_allowed_packet), so notifications of more than about ${Math.floor(bytes / 2048)} KiB are refused. Set max_allowed_packet to 16777216, and start this process again.`
    );
  },
  (facts) =>
    facts.variables.has('sql_mode') &&
    !hasMode(facts, 'STRICT_TRANS_TABLES') &&
    !hasMode(facts, 'STRICT_ALL_TABLES') &&
    'cuts a value that does not fit, without an error. Add STRICT_TRANS_TABLES to its sql_mode.',
];

/** Said if `skipsLocked` found that it does not. */
export const LOCKED_NOT_SKIPPED =
  'does not skip rows that are locked, although it accepts SKIP LOCKED: processes that share it wait for each other, or do the same work twice. Use MySQL from 8.0.16 or MariaDB from 10.6, and no proxy that changes statements.';

export function judgeServer(facts: ServerFacts): ServerJudgement {
  const said = (checks: Check[]) => checks.map((check) => check(facts)).filter((text) => text !== false);
  return { refusals: said(REFUSALS), warnings: said(WARNINGS) };
}

type Variables = ServerFacts['variables'];

const isOn = (variables: Variables, name: string) => /^(ON|1)$/i.test(variables.get(name) ?? '');

const hasMode = ({ variables }: ServerFacts, mode: string) =>
  (variables.get('sql_mode') ?? '').toUpperCase().split(',').includes(mode);

const isGalera = (variables: Variables) =>
  isOn(variables, 'wsrep_on') && (variables.get('wsrep_provider') ?? 'none') !== 'none';

const isOutOfCluster = ({ variables, status }: ServerFacts) =>
  isGalera(variables) &&
  (status.get('wsrep_ready') === 'OFF' || (status.get('wsrep_cluster_status') ?? 'Primary') !== 'Primary');

function isOlder(version: string, oldest: number[]): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (!parts) return false;
  const at = parts.findIndex((part, index) => part !== oldest[index]);
  return at >= 0 && (parts[at] ?? 0) < (oldest[at] ?? 0);
}
