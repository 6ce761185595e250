import type { DataSource } from 'typeorm';
import { systemClock } from '../../platform/clock.js';
import { errnoOf } from '../../platform/driver-error.js';

/** How long the pool makes do with what it has, in milliseconds. */
const MAKES_DO_MS = 10_000;

/** The server, a user or the file handles of the server allow no further connection. */
const NO_FURTHER = new Set([1040, 1203, 1226]);

type Done = (error: unknown, connection?: PooledConnection) => void;
interface PooledConnection {
  /** Null once it has left the pool. */
  _pool: object | null;
}

/** The parts of mysql2's pool that are used here; TypeORM does not expose them. */
interface Pool {
  config: { connectionLimit: number };
  _allConnections: { toArray(): PooledConnection[] };
  getConnection(done: Done): void;
}

/**
 * From here on, the pool makes do with as many connections as the server lets it have, which on managed databases may be fewer than
 * it wants: who finds no further one waits for those that are there. While there is none at all, it is an error as before.
 */
export function makeDoWithFewer({ driver }: DataSource): void {
  const { pool } = driver as unknown as { pool?: Pool };
  // A host may have a pool for each of several addresses.
  if (!pool) return;
  const { config } = pool;
  const wanted = config.connectionLimit;
  const get = pool.getConnection.bind(pool);
  pool.getConnection = (done) =>
    get((error, connection) => {
      if (!error || !NO_FURTHER.has(errnoOf(error))) return done(error, connection);
      const others = pool._allConnections.toArray().filter(({ _pool }) => _pool !== null);
      if (others.length === 0) return done(error);
      if (config.connectionLimit === wanted)
        systemClock.after(MAKES_DO_MS, () => {
          config.connectionLimit = wanted;
        });
      config.connectionLimit = others.length;
      pool.getConnection(done);
    });
}
