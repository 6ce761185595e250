interface DriverError {
  code?: unknown;
  errno?: unknown;
  sqlState?: unknown;
}

/** What the driver said, which TypeORM wraps. */
export const driverErrorOf = (error: unknown): DriverError => {
  const { driverError } = (error ?? {}) as { driverError?: DriverError };
  return driverError ?? ((error ?? {}) as DriverError);
};

/** The code of the driver, the network or the SQLite thread; empty if there is none. */
export const codeOf = (error: unknown) => String(driverErrorOf(error).code ?? '');

/** The number of a server's error; 0 if the error is not from a server. */
export const errnoOf = (error: unknown) => Math.max(0, Number(driverErrorOf(error).errno) || 0);

/** Whether the connection or the pool was closed, which drivers only say in words. */
export function isClosedConnection(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return /connection is in closed state|The database connection is not open|Pool is closed|Queue limit reached/.test(
    message,
  );
}
