import { describe, expect, it } from '@jest/globals';
import { type LimitedPool, makeDoWithFewer } from './fewer-connections.js';

type Done = Parameters<LimitedPool['getConnection']>[0];

const LIMIT = 5;
const REFUSED = Object.assign(new Error('max_user_connections'), { errno: 1226 });

/** What mysql2's pool does with connections, each of which is opened or refused when the test says so. */
class Pool implements LimitedPool {
  config = { connectionLimit: LIMIT };
  _allConnections: object[] = [];
  _connectionQueue: LimitedPool['_connectionQueue'] & { push(done: Done): void } = [] as never;
  readonly opening: { open(): object; fail(error: Error): void }[] = [];

  getConnection(done: Done): void {
    if (this._allConnections.length >= this.config.connectionLimit)
      return void this._connectionQueue.push(done);
    const connection = {};
    this._allConnections.push(connection);
    this.opening.push({
      open: () => {
        done(null, connection);
        return connection;
      },
      fail: (error) => {
        this._allConnections.splice(this._allConnections.indexOf(connection), 1);
        const next = this._connectionQueue.length > 0 && this._connectionQueue.shift();
        done(error);
        if (next) this.getConnection(next);
      },
    });
  }

  release(connection: object): void {
    if (this._connectionQueue.length > 0) this._connectionQueue.shift()(null, connection);
  }
}

describe('a pool whose server allows fewer connections than it wants', () => {
  /** Calls at once, and what became of each. */
  function calls(pool: Pool, count: number): unknown[] {
    makeDoWithFewer(pool);
    const ends: unknown[] = Array(count).fill('waits');
    for (let i = 0; i < count; i++)
      pool.getConnection((error, connection) => {
        ends[i] = error ?? connection;
      });
    return ends;
  }

  it('has those who are refused wait for connections that are still being opened', () => {
    const pool = new Pool();
    const ends = calls(pool, LIMIT);
    const [first, ...others] = pool.opening.splice(0);
    for (const other of others) other.fail(REFUSED);
    expect(ends).toEqual(Array(LIMIT).fill('waits'));
    const connection = first?.open() as object;
    for (let i = 1; i < LIMIT; i++) pool.release(connection);
    expect(ends).toEqual(Array(LIMIT).fill(connection));
  });

  it('refuses everybody once it is sure that there is none', () => {
    const pool = new Pool();
    const ends = calls(pool, 3 * LIMIT);
    let opened = 0;
    for (; pool.opening.length > 0 && opened < 100; opened++) pool.opening.shift()?.fail(REFUSED);
    expect(opened).toBeLessThan(3 * LIMIT);
    expect(ends).toEqual(Array(3 * LIMIT).fill(REFUSED));
    expect(pool.config.connectionLimit).toBe(LIMIT);
  });

  it('tries for all it may have again if the only one that was being opened has failed', () => {
    const pool = new Pool();
    const ends = calls(pool, LIMIT);
    const [last, ...others] = pool.opening.splice(0);
    for (const other of others) other.fail(REFUSED);
    const failure = new Error('connect ETIMEDOUT');
    last?.fail(failure);
    expect(ends).toEqual([failure, ...Array(LIMIT - 1).fill('waits')]);
    expect(pool.opening).toHaveLength(LIMIT - 1);
    expect(pool.config.connectionLimit).toBe(LIMIT);
  });
});
