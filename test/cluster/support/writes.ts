import { queryOnce } from '../../system/support/query-once.js';
import type { DatabaseNode } from './node.js';

const ANSWERS_WITHIN_MS = 1000;
const EVERY_MS = 50;

/** A plain client of a cluster: it shows for how long nobody could write, without the service. */
export class PlainWrites {
  longestPauseMs = 0;
  private isOver = false;
  private readonly ended: Promise<void>;

  /** @param node where the table is made. @param url of the proxy */
  static async begin(node: DatabaseNode, url: string): Promise<PlainWrites> {
    await node.query('CREATE DATABASE IF NOT EXISTS plain');
    await node.query('CREATE TABLE IF NOT EXISTS plain.writes (id INT PRIMARY KEY AUTO_INCREMENT)');
    return new PlainWrites(url);
  }

  private constructor(private readonly url: string) {
    this.ended = this.write();
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.ended;
  }

  private async write(): Promise<void> {
    let last = Date.now();
    while (!this.isOver) {
      const isWritten = await this.writeOnce().catch(() => false);
      if (isWritten) {
        this.longestPauseMs = Math.max(this.longestPauseMs, Date.now() - last);
        last = Date.now();
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  private async writeOnce(): Promise<true> {
    const to = { uri: this.url, connectTimeout: ANSWERS_WITHIN_MS };
    await queryOnce(to, { sql: 'INSERT INTO plain.writes VALUES ()', timeout: ANSWERS_WITHIN_MS });
    return true;
  }
}
