import type { EntitySubscriberInterface, QueryRunner } from 'typeorm';
import { isDemoted } from '../../platform/database-error.js';

/** How long a connection is kept at least: while the address still leads to a demoted node, a new one is no better. */
const KEPT_MS = 1000;

/** The parts of mysql2's pool and of its connections that are used here; TypeORM does not expose them. */
interface PooledConnection {
  /** Null once it has left the pool. */
  _pool: Pool | null;
  /** Closes it, so that the server rolls back, and leaves its place in the pool to a new one. */
  destroy(): void;
}

interface Pool {
  _allConnections: { toArray(): PooledConnection[] };
  _freeConnections: { toArray(): PooledConnection[] };
  releaseConnection(connection: PooledConnection): void;
  on(event: 'connection', listener: (connection: PooledConnection) => void): void;
}

interface QueryEvent {
  queryRunner: QueryRunner;
  success: boolean;
  error?: unknown;
}

/**
 * A subscriber that has the pool give up its connections once the database answers that it takes no writes. The address of a
 * replicated database leads to its writer, but a connection stays with the node that it was made to, also after that has
 * become a replica, and reads there may be old. So all of them go: idle ones at once, the others when they are released.
 * Covers what the host does on the data source, too.
 */
export class DemotedNodes implements EntitySubscriberInterface {
  private readonly pools = new WeakMap<Pool, PoolConnections>();

  /** Returns nothing for a statement that succeeded: TypeORM would wait for a promise. */
  afterQuery({ success, error, queryRunner }: QueryEvent): Promise<void> | undefined {
    return success || !isDemoted(error) ? undefined : this.leave(queryRunner);
  }

  private async leave(queryRunner: QueryRunner): Promise<void> {
    // A host may have a pool for each of several addresses.
    const { _pool: pool }: PooledConnection = await queryRunner.connect();
    if (!pool) return;
    const connections = this.pools.get(pool) ?? new PoolConnections(pool);
    this.pools.set(pool, connections);
    connections.giveUp();
  }
}

class PoolConnections {
  private readonly madeAt = new WeakMap<PooledConnection, number>();
  private readonly left = new WeakSet<PooledConnection>();

  constructor(private readonly pool: Pool) {
    pool.on('connection', (connection) => this.madeAt.set(connection, performance.now()));
    const release = pool.releaseConnection.bind(pool);
    pool.releaseConnection = (connection) => {
      // A destroyed connection comes by once more, and makes room for a waiting call.
      if (connection._pool && this.left.has(connection)) connection.destroy();
      else release(connection);
    };
  }

  giveUp(): void {
    const since = performance.now() - KEPT_MS;
    for (const connection of this.pool._allConnections.toArray())
      if ((this.madeAt.get(connection) ?? Number.NEGATIVE_INFINITY) <= since) this.left.add(connection);
    for (const connection of this.pool._freeConnections.toArray())
      if (this.left.has(connection)) connection.destroy();
  }
}
