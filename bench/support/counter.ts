import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Counts } from './counting.js';

const COUNTING = new URL('./counting.js', import.meta.url).href;

/** Counts what one service asks of its database, from in front of the driver, so of any build. */
export class Counter {
  private readonly socket = join(mkdtempSync(join(tmpdir(), 'webhook-bench-counter-')), 'socket');

  readonly nodeOptions = ['--import', COUNTING];
  readonly env = { COUNTING_SOCKET: this.socket };

  async read(): Promise<Counts> {
    return JSON.parse(await text(connect(this.socket))) as Counts;
  }
}
