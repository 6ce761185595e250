import { isNativeError } from 'node:util/types';
import { codeOf, driverErrorOf, isClosedConnection } from './driver-error.js';

/** A database error that is safe to log: without the statement, its parameters, and the values the database quotes. */
class DatabaseFailure extends Error {
  readonly code: string;
  readonly errno: unknown;
  /** Tells whether the data is at fault. */
  readonly sqlState: unknown;

  constructor(error: Error) {
    const code = codeOf(error) || (isClosedConnection(error) ? 'POOL_CLOSED' : 'unknown');
    // The message is included only for SQLite: it quotes nothing but names, and the code alone says little.
    super(`The database failed: ${code}${code.startsWith('SQLITE_') ? ` (${error.message})` : ''}`);
    this.name = 'DatabaseFailure';
    this.code = code;
    this.errno = driverErrorOf(error).errno;
    this.sqlState = driverErrorOf(error).sqlState;
    const at = error.stack?.search(/\n {4}at /) ?? -1;
    if (at >= 0) this.stack = `${this.name}: ${this.message}${error.stack?.slice(at)}`;
  }
}

/** Replaces an error that holds a statement, as TypeORM's and the driver's do; returns any other error unchanged. */
export function withoutStatement(error: unknown): unknown {
  const holdsIt = isNativeError(error) && ('query' in error || 'sql' in error || 'driverError' in error);
  return holdsIt ? new DatabaseFailure(error) : error;
}

/** For a promise's `catch`: rethrows without the statement. @throws the result of {@link withoutStatement} */
export function rethrowWithoutStatement(error: unknown): never {
  throw withoutStatement(error);
}
