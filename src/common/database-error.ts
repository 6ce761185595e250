/** Errors that say: not now. Anything else that a database throws is a bug of ours. */
const UNAVAILABLE = new Set([
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
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'POOL_CLOSED',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_SERVER_SHUTDOWN',
  'ER_NORMAL_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_LOCK_DEADLOCK',
  'ER_DISK_FULL',
  'ER_RECORD_FILE_FULL',
  'ER_OPTION_PREVENTS_STATEMENT',
]);
const SQLITE_UNAVAILABLE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|CANTOPEN|READONLY|NOMEM)/;

/** Where a database is being opened: the address, the rights or the file are not right. */
const REFUSED = new Set([
  'ER_ACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_BAD_DB_ERROR',
  'SQLITE_NOTADB',
]);

const codeOf = (error: unknown) => {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: { code?: unknown } };
  return String(driverError?.code ?? code ?? '');
};

/** True where the database is away, full or too busy: the same call may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  return UNAVAILABLE.has(code) || SQLITE_UNAVAILABLE.test(code) || isClosedConnection(error);
}

/** True where an error while starting says that the database cannot be opened. */
export function isDatabaseNotOpened(error: unknown): boolean {
  const isFolderNotMade = (error as { syscall?: unknown } | null)?.syscall === 'mkdir';
  return isDatabaseUnavailable(error) || REFUSED.has(codeOf(error)) || isFolderNotMade;
}

/** True where the transaction lost against another one and should simply be run again. */
export function isLostRace(error: unknown): boolean {
  return codeOf(error) === 'ER_LOCK_DEADLOCK';
}

function isClosedConnection(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return /connection is in closed state|The database connection is not open|Pool is closed/.test(message);
}
