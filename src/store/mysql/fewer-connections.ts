import { Logger } from '@nestjs/common';
import { systemClock } from '../../platform/clock.js';
import { errnoOf } from '../../platform/driver-error.js';

/** How long the pool makes do with what it has, in milliseconds. */
const MAKES_DO_MS = 10_000;

/** The server allows no further connection, or none of this user. */
const NO_FURTHER = new Set([1040, 1203, 1226]);

type Done = (error: unknown, connection?: object) => void;

/** The parts of mysql2's pool that are used here; TypeORM does not expose them. */
export interface LimitedPool {
  config: { connectionLimit: number };
  /** The connections that are open or being opened. One that was refused is gone before its caller hears of it. */
  _allConnections: { length: number };
  /** Who waits for one. */
  _connectionQueue: { length: number; shift(): Done };
  getConnection(done: Done): void;
}

/**
 * From here on, the pool makes do with as many connections as the server lets it have, which on managed databases may be fewer than
 * it wants: who is refused one waits for those that are open or being opened, as do all others for a while. While there is none, it is
 * an error for all who wait. Not for a pool of a host, whose own transactions may wait for a second connection, for as long as it
 * takes.
 */
export function makeDoWithFewer(pool: LimitedPool): void {
  const { config } = pool;
  const wanted = config.connectionLimit;
  let hasWarned = false;
  let again = () => {};

  /** Tries for more, also for those who wait: the pool examines them only when a connection is given back. */
  const want = () => {
    config.connectionLimit = wanted;
    for (
      let free = wanted - pool._allConnections.length;
      free > 0 && pool._connectionQueue.length > 0;
      free--
    )
      pool.getConnection(pool._connectionQueue.shift());
  };
  const makeDo = (count: number) => {
    config.connectionLimit = count;
    again();
    again = systemClock.after(MAKES_DO_MS, want);
    if (hasWarned) return;
    hasWarned = true;
    new Logger('Database').warn(
      `The database server allows fewer connections than the ${wanted} that this process may want. It makes do with what it gets: allow its user more, or set connection_limit of the URL.`,
    );
  };
  const refuseAll = (error: unknown) => {
    config.connectionLimit = wanted;
    const waiting: Done[] = [];
    while (pool._connectionQueue.length > 0) waiting.push(pool._connectionQueue.shift());
    for (const done of waiting) done(error);
  };

  const get = pool.getConnection.bind(pool);
  pool.getConnection = (done) =>
    get((error, connection) => {
      if (!error) return done(error, connection);
      const count = pool._allConnections.length;
      const isRefused = NO_FURTHER.has(errnoOf(error));
      if (isRefused && count > 0) {
        makeDo(count);
        pool.getConnection(done);
        return;
      }
      if (isRefused) refuseAll(error);
      // The only one that was being opened has failed: those who wait for it do not try one after another.
      else if (count === 0) want();
      done(error);
    });
}
