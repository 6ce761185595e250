import { codeOf, driverErrorOf, errnoOf, isClosedConnection } from './driver-error.js';
import { Problem } from './problem.js';

/** Codes from the driver, the network and the SQLite thread that mean no answer came or will come. */
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'PROTOCOL_ENQUEUE_AFTER_QUIT',
  'PROTOCOL_PACKETS_OUT_OF_ORDER',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'POOL_BUSY',
  'POOL_CLOSED',
]);

/**
 * The node has become a replica, or has left its cluster: Galera's "not ready" (1047), read-only by an option, as on MySQL,
 * MariaDB and Aurora (1290), by the session's default (1792) or in the storage engine (1836, 1874), and a member of Group
 * Replication that cannot reach its group (3100) or has left it (3032). 3101 is not among them: a conflict with another member, which may pass.
 */
const DEMOTED = new Set([1047, 1290, 1792, 1836, 1874, 3032, 3100]);

/**
 * Server errors that may pass, beside {@link NO_CONNECTION}. Listed by number, because a driver does not know the names of newer errors from another
 * server, and Galera reuses a number with a meaning of its own.
 */
const NOT_NOW = new Set([
  // The disk or the file is full or fails; 1030 is any error of the storage engine, usually a full disk.
  1016, 1021, 1024, 1026, 1030, 1114, 1180, 1296, 1297,
  // Too many threads or locks, or too little memory.
  1037, 1038, 1041, 1135, 1206, 1637,
  // Another transaction holds or has changed the row, or the statement was ended.
  1020, 1205, 1213, 1223, 1317, 1412, 1613, 1614, 1615, 1689, 1969, 3024, 3058, 3101, 3572,
  // A member of Group Replication has to catch up first.
  3781, 3782, 3783, 3796, 3797, 3798, 3799,
]);

const SQLITE_UNAVAILABLE =
  /^SQLITE_(FULL|IOERR|BUSY|LOCKED|CANTOPEN|READONLY|NOMEM|PERM|PROTOCOL|INTERRUPT|SCHEMA)/;

/** Server errors that say as much as no connection: the server refuses one, ends it, or is starting or stopping. */
const NO_CONNECTION = new Set([
  1040, 1053, 1077, 1152, 1158, 1159, 1160, 1161, 1184, 1203, 1226, 1927, 3168, 3169, 4031,
]);

/** SQLSTATE classes about the data: data exceptions, constraints, and errors raised by the owner's own SQL triggers. */
const DATA_STATE = /^(22|23|45)/;
/** Errors of other classes about the data: too long, out of range, badly encoded, not JSON, a row or packet too large. */
const ABOUT_DATA = new Set([
  1118, 1153, 1264, 1265, 1292, 1300, 1301, 1366, 1406, 1690, 3140, 3141, 3143, 3144, 3156, 3819, 4025, 4037,
  4038,
]);
const SQLITE_ABOUT_DATA = /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/;

/** A syntax error, what is not supported (Vitess), and an unknown function. */
const UNKNOWN_SYNTAX = new Set([1064, 1235, 1305]);

/** Errors on opening a database: wrong address, missing rights, or not a database file. */
const REFUSED = new Set([
  'ER_ACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_BAD_DB_ERROR',
  'SQLITE_NOTADB',
]);

const LOCK_TIMEOUT = 1205;
const PACKET_TOO_LARGE = 1153;

/** The database did not report whether the transaction committed. */
export class OutcomeUnknownError extends Error {
  constructor(cause: unknown) {
    super(`The end of a commit is not known: ${(cause as Error).message}`, { cause });
  }
}

/** A call and a transaction wait for each other on SQLite's one connection. A mistake of the application, which does not pass. */
export class OwnTransactionError extends Error {
  readonly code = 'SQLITE_BUSY';

  constructor() {
    super(
      'This call waits for the end of the transaction that it was made in, and that waits for this call: SQLite runs one at a ' +
        'time. Use its manager, as in notify(name, event, { manager }), and call what takes none before it or after its ' +
        'commit. Nothing was stored.',
    );
  }
}

/** There was no connection in time: the server does not answer, or others have all of the pool's and may wait for this. */
export class NoConnectionError extends Error {
  readonly code = 'POOL_BUSY';

  /** @param waitedMs milliseconds */
  constructor(waitedMs: number) {
    super(
      `There was no connection to the database for ${waitedMs / 1000} s. If the server answers, transactions of the application have all ` +
        'of them, maybe waiting for a call that did not get their manager: pass it, as in notify(name, event, { manager }), make ' +
        'other calls before a transaction or after its commit, or raise connectionLimit.',
    );
  }
}

/** Somebody else has locked some of the rows of a statement, which waited for them in vain or would have. */
export class LockedRowsError extends Error {
  readonly errno = LOCK_TIMEOUT;

  /** @param keys the primary keys of these rows. */
  constructor(readonly keys: ReadonlySet<string>) {
    super(
      `Somebody else has locked ${keys.size === 1 ? 'a row' : `${keys.size} rows`} that this would change.`,
    );
  }
}

/** A statement is larger than the database server takes, whenever it is asked. What is smaller may be stored. */
export class StatementTooLargeError extends Problem {
  readonly errno = PACKET_TOO_LARGE;

  /** @param bytes of the statement. @param limit of the server, in bytes. */
  constructor(bytes: number, limit: number) {
    super(
      413,
      'body_too_large',
      `It is too large for this database: storing it takes a statement of ${bytes} bytes, and the server takes ${limit} ` +
        '(max_allowed_packet). Send less, or ask whoever runs this service to raise that. Nothing was stored.',
    );
  }
}

/** True if the database is unreachable, full or too busy: the same call may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return (
    error instanceof OutcomeUnknownError ||
    isDatabaseAway(error) ||
    NOT_NOW.has(errnoOf(error)) ||
    isDemoted(error)
  );
}

/**
 * True if no statement would get an answer now, so that nothing can be said of the rows of this one. Every other error, whatever
 * its number, may be due to one row among many.
 */
export function isDatabaseAway(error: unknown): boolean {
  const cause = error instanceof OutcomeUnknownError ? error.cause : error;
  if (cause instanceof OwnTransactionError) return false;
  const code = codeOf(cause);
  return (
    AWAY.has(code) ||
    NO_CONNECTION.has(errnoOf(cause)) ||
    SQLITE_UNAVAILABLE.test(code) ||
    isClosedConnection(cause)
  );
}

/** True if the node that answered takes no writes, while another one at the same address may. */
export function isDemoted(error: unknown): boolean {
  return DEMOTED.has(errnoOf(error));
}

/** True if the server does not know a part of SQL that the statement uses. */
export function isUnknownSyntax(error: unknown): boolean {
  return UNKNOWN_SYNTAX.has(errnoOf(error));
}

/** True if the database rejects the values themselves, so that trying again cannot help. */
export function isAboutData(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return false;
  const errno = errnoOf(error);
  const state = String(driverErrorOf(error).sqlState ?? '');
  return (
    (errno > 0 && (ABOUT_DATA.has(errno) || DATA_STATE.test(state))) || SQLITE_ABOUT_DATA.test(codeOf(error))
  );
}

/**
 * Answers to a commit that do not say whether it is stored. 1180: a Galera node lost its group while it replicated the
 * transaction, and the others may have it. 3100 and 3101: Group Replication gave up, either because of a conflict or because
 * the member was expelled while it waited for the others. 1105 is an unknown error; 1053, 1317 and 1927 come from a shutdown or a
 * kill, which may be as late as after the commit.
 */
const UNKNOWN_AT_COMMIT = new Set([1053, 1105, 1180, 1317, 1927, 3100, 3101]);

/** True if the database answered a commit so that it is not stored. If false, it may be stored. */
export function isNotCommitted(error: unknown): boolean {
  const errno = errnoOf(error);
  return (errno > 0 && !UNKNOWN_AT_COMMIT.has(errno)) || codeOf(error).startsWith('SQLITE_');
}

/** True if an error at the start means that the database cannot be opened. */
export function isDatabaseNotOpened(error: unknown): boolean {
  const isFolderNotMade = (error as { syscall?: unknown } | null)?.syscall === 'mkdir';
  return isDatabaseUnavailable(error) || REFUSED.has(codeOf(error)) || isFolderNotMade;
}

/** True if a row with the same unique key exists. */
export function isDuplicate(error: unknown): boolean {
  return errnoOf(error) === 1062 || /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(codeOf(error));
}

/** True if the server has the table, column, index or row already that a migration makes. */
export function isAlreadyThere(error: unknown): boolean {
  return ALREADY_THERE.has(errnoOf(error));
}

const ALREADY_THERE = new Set([1050, 1060, 1061, 1062]);

/**
 * True if the transaction is rolled back and should run again: it lost a deadlock (1213), on Galera also when it commits after
 * one from another node, or read a row that was changed since (1020).
 */
export function isLostRace(error: unknown): boolean {
  return !(error instanceof OutcomeUnknownError) && LOST_RACES.has(errnoOf(error));
}

const LOST_RACES = new Set([1020, 1213]);

/** True if another transaction has held on to a row for longer than a statement waits for it. */
export function isLockTimeout(error: unknown): boolean {
  return errnoOf(error) === LOCK_TIMEOUT;
}
